-- Every version of every workflow that was ever loaded: a request stays on the one it started with.
CREATE TABLE workflows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    source TEXT NOT NULL,
    loaded_at INTEGER NOT NULL,
    -- The one that new requests take; absent from the directory, none does.
    active INTEGER NOT NULL DEFAULT 1,
    UNIQUE (name, digest)
) STRICT;

CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    trace_id TEXT NOT NULL,
    external_id TEXT,
    channel TEXT NOT NULL,
    workflow_id INTEGER NOT NULL REFERENCES workflows (id),
    workflow_name TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'received' CHECK (status IN ('received', 'routing', 'splitting',
        'processing', 'extracting', 'consolidating', 'completed', 'failed', 'cancelled')),
    -- Lower goes first.
    priority INTEGER NOT NULL DEFAULT 5 CHECK (priority BETWEEN 0 AND 9),
    sla_seconds REAL NOT NULL,
    deadline_utc INTEGER NOT NULL,
    page_count INTEGER,
    document_count INTEGER,
    stage_at INTEGER NOT NULL DEFAULT -1,
    standing TEXT NOT NULL DEFAULT 'SENT' CHECK (standing IN ('WAITING', 'SENT', 'DONE', 'REVIEW')),
    -- Counts restarts: what was begun before one is not taken back.
    run INTEGER NOT NULL DEFAULT 1,
    metadata TEXT NOT NULL,
    result TEXT,
    error TEXT,
    error_code TEXT,
    duplicate_of TEXT,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    completed_at INTEGER,
    sla_breached_at INTEGER
) STRICT;
CREATE INDEX requests_by_time ON requests (created_at, id);
CREATE INDEX requests_by_status ON requests (status, created_at);
CREATE INDEX requests_by_deadline ON requests (deadline_utc)
    WHERE status NOT IN ('completed', 'failed', 'cancelled');
CREATE INDEX requests_by_external ON requests (external_id);

CREATE TABLE request_files (
    request_id TEXT NOT NULL REFERENCES requests (id),
    n INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('pdf', 'tiff', 'jpeg', 'png', 'zip', 'text')),
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    place TEXT NOT NULL,
    -- A small file itself, in the same commit as its request; larger ones are in storage.
    content BLOB,
    -- Where it came out of, when it was packed.
    packed_in INTEGER,
    password TEXT,
    pages INTEGER,
    PRIMARY KEY (request_id, n)
) STRICT;
CREATE INDEX request_files_by_hash ON request_files (sha256);

CREATE TABLE documents (
    id TEXT PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES requests (id),
    first_page INTEGER NOT NULL,
    last_page INTEGER NOT NULL,
    doc_type TEXT NOT NULL,
    stage_at INTEGER NOT NULL,
    standing TEXT NOT NULL DEFAULT 'WAITING' CHECK (standing IN ('WAITING', 'SENT', 'DONE', 'REVIEW')),
    extracted_data TEXT,
    fields TEXT,
    extraction_confidence REAL,
    missing_required INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL DEFAULT 'AUTO' CHECK (origin IN ('AUTO', 'BACKOFFICE')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (request_id, first_page)
) STRICT;

-- One row per page is also its arrival at each join: delivered twice, it still counts once.
CREATE TABLE pages (
    request_id TEXT NOT NULL REFERENCES requests (id),
    n INTEGER NOT NULL,
    file INTEGER NOT NULL,
    page_in_file INTEGER NOT NULL,
    stage_at INTEGER NOT NULL,
    standing TEXT NOT NULL DEFAULT 'WAITING' CHECK (standing IN ('WAITING', 'SENT', 'DONE', 'REVIEW')),
    width REAL,
    height REAL,
    words TEXT,
    ocr_text TEXT,
    ocr_confidence REAL,
    ocr_source TEXT,
    turned INTEGER NOT NULL DEFAULT 0,
    scores TEXT,
    evidence TEXT,
    doc_type TEXT,
    classification_confidence REAL,
    origin TEXT NOT NULL DEFAULT 'AUTO' CHECK (origin IN ('AUTO', 'BACKOFFICE')),
    document_id TEXT REFERENCES documents (id),
    PRIMARY KEY (request_id, n)
) STRICT;

-- What waits for a worker, is in its hands, or was done: the queue and the timeline in one.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    request_id TEXT NOT NULL REFERENCES requests (id),
    run INTEGER NOT NULL,
    stage_at INTEGER NOT NULL,
    stage TEXT NOT NULL,
    component TEXT NOT NULL,
    -- '' the request, 'p3' page 3, else a document.
    item TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'READY'
        CHECK (state IN ('READY', 'CLAIMED', 'DONE', 'DEAD', 'PARKED')),
    priority INTEGER NOT NULL,
    deadline_utc INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    error TEXT,
    error_code TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    UNIQUE (request_id, run, stage_at, item)
) STRICT;
CREATE INDEX messages_queue ON messages (component, priority, deadline_utc, id)
    WHERE state = 'READY';
CREATE INDEX messages_urgent ON messages (priority, deadline_utc, id) WHERE state = 'READY';
CREATE INDEX messages_claimed ON messages (worker) WHERE state = 'CLAIMED';
CREATE INDEX messages_dead ON messages (finished_at) WHERE state = 'DEAD';
CREATE INDEX messages_due ON messages (due_at) WHERE state = 'READY';
CREATE INDEX messages_done ON messages (finished_at) WHERE state = 'DONE';

-- Processes that take messages. One that falls silent gives its messages back.
CREATE TABLE workers (
    id TEXT PRIMARY KEY,
    components TEXT NOT NULL,
    threads INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    beat_at INTEGER NOT NULL
) STRICT;

CREATE TABLE review_tasks (
    id TEXT PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES requests (id),
    run INTEGER NOT NULL,
    task_type TEXT NOT NULL CHECK (task_type IN ('classification', 'extraction')),
    item TEXT NOT NULL,
    stage_at INTEGER NOT NULL,
    source_stage TEXT NOT NULL,
    workflow_name TEXT NOT NULL,
    queue TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'assigned', 'completed', 'timeout', 'cancelled')),
    priority INTEGER NOT NULL DEFAULT 3 CHECK (priority BETWEEN 0 AND 9),
    deadline_utc INTEGER NOT NULL,
    required_skills TEXT NOT NULL,
    input_data TEXT NOT NULL,
    output_data TEXT,
    assigned_to TEXT,
    created_at INTEGER NOT NULL,
    assigned_at INTEGER,
    completed_at INTEGER,
    UNIQUE (request_id, run, stage_at, item)
) STRICT;
CREATE INDEX review_tasks_queue ON review_tasks (status, priority, deadline_utc, created_at);
