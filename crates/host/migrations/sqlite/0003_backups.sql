-- Backups that the house made by itself: which is being written, which are kept, what went wrong.
CREATE TABLE backups (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Who writes it, and the machine on whose disk it is.
    process TEXT NOT NULL,
    host TEXT NOT NULL,
    file TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('RUNNING', 'GOOD', 'FAILED', 'REMOVED')),
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    row_count INTEGER,
    file_count INTEGER,
    -- Why it failed, or what a good one could not hold.
    told TEXT
) STRICT;
CREATE INDEX backups_by_state ON backups (state, id);
