-- People who answer what machines are not sure of.
CREATE TABLE operators (
    username TEXT PRIMARY KEY,
    display_name TEXT NOT NULL,
    skills TEXT NOT NULL,
    shifts TEXT NOT NULL,
    is_active INTEGER NOT NULL DEFAULT 1,
    -- When something was last heard of them, and when they last let a task lapse.
    seen_at INTEGER,
    lapsed_at INTEGER,
    -- When a task was last given to them: ties go to whoever waited longest.
    given_at INTEGER,
    version INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- Whether the person it is assigned to has taken it up, and when they last said so.
ALTER TABLE review_tasks ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE review_tasks ADD COLUMN beat_at INTEGER;
-- Nobody is offered it before.
ALTER TABLE review_tasks ADD COLUMN postponed_until INTEGER;
CREATE INDEX review_tasks_assigned ON review_tasks (assigned_to) WHERE status = 'assigned';

-- Who had a task, and what came of it.
CREATE TABLE review_turns (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES review_tasks (id) ON DELETE CASCADE,
    operator TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER,
    ending TEXT CHECK (ending IN ('submitted', 'regrouped', 'timeout', 'released', 'postponed',
        'reassigned', 'withdrawn'))
) STRICT;
CREATE INDEX review_turns_by_task ON review_turns (task_id, operator);
CREATE INDEX review_turns_by_operator ON review_turns (operator, ended_at);

-- What a person has typed and not sent.
CREATE TABLE review_drafts (
    task_id TEXT NOT NULL REFERENCES review_tasks (id) ON DELETE CASCADE,
    operator TEXT NOT NULL,
    data TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (task_id, operator)
) STRICT;

-- What the machine said and what the person said. It outlives the request: it is what we learn from.
CREATE TABLE review_corrections (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    item TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('classification', 'extraction', 'grouping')),
    workflow_name TEXT NOT NULL,
    operator TEXT NOT NULL,
    doc_type TEXT NOT NULL,
    machine TEXT NOT NULL,
    person TEXT NOT NULL,
    -- Whether the person disagreed.
    changed INTEGER NOT NULL,
    golden INTEGER NOT NULL DEFAULT 0,
    -- The page as it was read, for classification.
    width REAL,
    height REAL,
    words TEXT,
    ocr_source TEXT,
    turned INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX review_corrections_by_time ON review_corrections (created_at, id);
CREATE INDEX review_corrections_by_kind ON review_corrections (kind, created_at);
