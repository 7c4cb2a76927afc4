CREATE TABLE windows (number INTEGER PRIMARY KEY) STRICT;

CREATE TABLE tickets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL CHECK (state IN ('WAITING', 'CALLED', 'DONE', 'MISSED')),
    window INTEGER,
    called_at INTEGER
) STRICT;
-- Nobody is called to a window where somebody stands.
CREATE UNIQUE INDEX one_call_per_window ON tickets (window) WHERE state = 'CALLED';
