-- What becomes of a slot whose run failed: how often it is tried again, after how long, for what.
ALTER TABLE robots ADD COLUMN retries BIGINT NOT NULL DEFAULT 0 CHECK (retries BETWEEN 0 AND 10);
ALTER TABLE robots ADD COLUMN retry_seconds BIGINT NOT NULL DEFAULT 60 CHECK (retry_seconds >= 0);
ALTER TABLE robots ADD COLUMN retry_causes TEXT NOT NULL
    DEFAULT 'DEPLOY_FAILED,RUN_FAILED,RUN_TIMED_OUT,SIN_INICIO';

ALTER TABLE runs ADD COLUMN slot_until TIMESTAMPTZ;
-- What the Control Room told about its end.
ALTER TABLE runs ADD COLUMN message TEXT;
ALTER TABLE runs ADD COLUMN retry_at TIMESTAMPTZ;
ALTER TABLE runs ADD COLUMN overdue_at TIMESTAMPTZ;
-- A deployment that may be this run, while nobody knows whether it was accepted.
ALTER TABLE runs ADD COLUMN suspect TEXT;
ALTER TABLE runs ADD COLUMN stop_at TIMESTAMPTZ;
ALTER TABLE runs ADD COLUMN stop_by TEXT;
ALTER TABLE runs ADD COLUMN stop_reason TEXT;
-- Who started it by hand, and why.
ALTER TABLE runs ADD COLUMN asked_by TEXT;
ALTER TABLE runs ADD COLUMN asked_why TEXT;
CREATE INDEX runs_by_slot ON runs (schedule_id, runner_id, slot) WHERE slot IS NOT NULL;
CREATE INDEX runs_retried ON runs (retry_at) WHERE retry_at IS NOT NULL;

-- Bots on runners of ours that somebody else started.
CREATE TABLE strangers (
    runner_id BIGINT PRIMARY KEY REFERENCES runners (id) ON DELETE CASCADE,
    deployment_id TEXT NOT NULL,
    bot TEXT NOT NULL,
    since TIMESTAMPTZ NOT NULL
);

-- When a deploy was last accepted: refusals since then are counted together.
ALTER TABLE control_room ADD COLUMN accepted_at TIMESTAMPTZ;

-- Since when a schedule is timed as it is: slots of days before are not its.
ALTER TABLE schedules ADD COLUMN timed_at TIMESTAMPTZ;
