-- Everything that committed, in commit order: the source of SSE, Socket.IO, webhooks and replay.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL,
    name TEXT NOT NULL,
    subject TEXT,
    data TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_app ON events (app, seq);
CREATE INDEX events_by_time ON events (at);

-- What must still happen in the outside world, written with the state change that wants it.
CREATE TABLE effects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DONE', 'DEAD')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    claimed_until INTEGER,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
CREATE INDEX effects_due ON effects (due_at, id) WHERE state = 'PENDING';

CREATE TABLE settings (
    app TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    updated_at INTEGER NOT NULL,
    updated_by TEXT NOT NULL,
    PRIMARY KEY (app, key)
) STRICT;

-- Append only; each row carries the hash of the one before, so that an edit is visible.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    app TEXT NOT NULL,
    actor TEXT NOT NULL,
    role TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    before TEXT,
    after TEXT,
    reason TEXT,
    hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_subject ON audit (app, subject, id);

-- The answer already given to a client's Idempotency-Key.
CREATE TABLE idempotency (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    answer TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT;
CREATE INDEX idempotency_by_time ON idempotency (created_at);
