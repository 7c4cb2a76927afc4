-- Whether somebody outside fetches it, and until when a worker outside holds it.
ALTER TABLE messages ADD COLUMN outside INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN lease_until INTEGER;
-- However many wait for somebody outside, our own workers do not look at them.
DROP INDEX messages_urgent;
CREATE INDEX messages_urgent ON messages (priority, deadline_utc, id)
    WHERE state = 'READY' AND outside = 0;
DROP INDEX messages_due;
CREATE INDEX messages_due ON messages (due_at) WHERE state = 'READY' AND outside = 0;
CREATE INDEX messages_outside ON messages (component, state, due_at)
    WHERE outside = 1 AND state IN ('READY', 'CLAIMED');

-- Who fetched messages of a component, and when last.
CREATE TABLE outside_workers (
    component TEXT NOT NULL,
    worker TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (component, worker)
) STRICT;

-- What a component outside said beside text, type and fields: for the stages after it, and for the
-- answer.
CREATE TABLE stage_replies (
    request_id TEXT NOT NULL REFERENCES requests (id),
    stage_at INTEGER NOT NULL,
    item TEXT NOT NULL,
    stage TEXT NOT NULL,
    payload TEXT NOT NULL,
    given_at INTEGER NOT NULL,
    PRIMARY KEY (request_id, stage_at, item)
) STRICT;
