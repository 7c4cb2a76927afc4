-- One row per process that lives, renewed in real time. A process without a row is gone, and what it
-- held is free.
CREATE TABLE processes (
    name TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    roles TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    beat_at INTEGER NOT NULL
) STRICT;

-- Which process performs an effect; the claim ends with it, or at `claimed_until`.
ALTER TABLE effects ADD COLUMN claimed_by TEXT;
