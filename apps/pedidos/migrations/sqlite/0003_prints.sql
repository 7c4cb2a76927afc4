-- How often a ticket was sent to the printer, and when the printer last took it.
ALTER TABLE tickets ADD COLUMN prints INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tickets ADD COLUMN printed_at INTEGER;
