-- One row per process that lives, renewed in real time. A process without a row is gone, and what it
-- held is free.
CREATE TABLE processes (
    name TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    pid BIGINT NOT NULL,
    roles JSONB NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    beat_at TIMESTAMPTZ NOT NULL
);

-- Which process performs an effect; the claim ends with it, or at `claimed_until`.
ALTER TABLE effects ADD COLUMN claimed_by TEXT;
