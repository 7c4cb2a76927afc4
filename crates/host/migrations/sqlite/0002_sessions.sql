-- Where a session was opened, for the person who looks at their own.
ALTER TABLE sessions ADD COLUMN address TEXT;
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

-- Where somebody signed in before: a lock on their name does not hold there.
CREATE TABLE known_addresses (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, address)
) STRICT;
