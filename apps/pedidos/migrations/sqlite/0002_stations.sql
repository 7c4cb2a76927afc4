-- What a cook marks with one press, a line or all of a station, is taken back together. Marks from before
-- were one line each.
ALTER TABLE bumps ADD COLUMN batch INTEGER NOT NULL DEFAULT 0;
UPDATE bumps SET batch = id;
