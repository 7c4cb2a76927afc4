-- When a sweep last handed the message to the broker again, because the broker had lost it.
ALTER TABLE messages ADD COLUMN resent_at INTEGER;

-- What the broker delivered and is none of ours: kept, so that nothing is dropped unseen.
CREATE TABLE foreign_letters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    exchange TEXT NOT NULL,
    routing_key TEXT NOT NULL,
    message_id TEXT,
    -- Why it was not taken.
    reason TEXT NOT NULL,
    -- Its beginning; a longer one is cut.
    body TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX foreign_letters_by_time ON foreign_letters (received_at);
