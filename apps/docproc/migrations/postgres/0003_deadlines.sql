-- When the monitor next has to look at a request; nothing: it has seen all there is to see.
ALTER TABLE requests ADD COLUMN next_check_at TIMESTAMPTZ;
-- When a first answer, still without some documents, was given.
ALTER TABLE requests ADD COLUMN partial_at TIMESTAMPTZ;
-- Who wants to be told of answers.
ALTER TABLE requests ADD COLUMN callback_url TEXT;
-- When files, words and results were removed; the counts stay.
ALTER TABLE requests ADD COLUMN cleared_at TIMESTAMPTZ;
UPDATE requests SET next_check_at = created_at
    WHERE status NOT IN ('completed', 'failed', 'cancelled');
CREATE INDEX requests_by_check ON requests (next_check_at)
    WHERE status NOT IN ('completed', 'failed', 'cancelled');
CREATE INDEX requests_uncleared ON requests (workflow_name, completed_at)
    WHERE cleared_at IS NULL AND completed_at IS NOT NULL;

-- What a request's deadline brought about: each checkpoint once, whoever looks.
CREATE TABLE sla_checkpoints (
    request_id TEXT NOT NULL REFERENCES requests (id),
    checkpoint TEXT NOT NULL CHECK (checkpoint IN ('warn', 'alert', 'escalate', 'breach')),
    due_at TIMESTAMPTZ NOT NULL,
    reached_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (request_id, checkpoint)
);
CREATE INDEX sla_checkpoints_by_time ON sla_checkpoints (reached_at);

-- Answers in the order they were given; those with an address are delivered in that order.
CREATE TABLE answers (
    request_id TEXT NOT NULL REFERENCES requests (id),
    n BIGINT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('early', 'partial', 'final')),
    body JSONB NOT NULL,
    given_at TIMESTAMPTZ NOT NULL,
    delivery TEXT NOT NULL CHECK (delivery IN ('NONE', 'PENDING', 'DONE', 'FAILED')),
    delivered_at TIMESTAMPTZ,
    PRIMARY KEY (request_id, n)
);

-- Files that were taken out of the watched directory: a crash before they are moved takes none
-- twice.
CREATE TABLE folder_files (
    key TEXT PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES requests (id),
    taken_at TIMESTAMPTZ NOT NULL
);
