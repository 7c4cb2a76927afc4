-- Its next run fits nowhere in its window.
ALTER TABLE nodes ADD COLUMN overflow INTEGER NOT NULL DEFAULT 0;
-- The slot for which it was said that a run of the same type is in the way.
ALTER TABLE nodes ADD COLUMN told_slot INTEGER;
-- The run that this one is asked together with, which holds the permits for both.
ALTER TABLE node_runs ADD COLUMN rides_with INTEGER;
CREATE INDEX node_runs_riders ON node_runs (rides_with) WHERE rides_with IS NOT NULL;
-- How many ONUs the last believed walk lost, where they were very many.
ALTER TABLE olts ADD COLUMN lost_onus INTEGER;
