-- Where a version of a workflow stands: loaded and waiting for its promotion, or promoted.
ALTER TABLE workflows ADD COLUMN environment TEXT NOT NULL DEFAULT 'prod'
    CHECK (environment IN ('test', 'prod'));
-- When it was last made the one that new requests take.
ALTER TABLE workflows ADD COLUMN activated_at TIMESTAMPTZ;
UPDATE workflows SET activated_at = loaded_at;

-- Files with the answer they must get. Cases are added and retired, never changed or removed.
CREATE TABLE golden_cases (
    id TEXT PRIMARY KEY,
    workflow_name TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The request it was taken from.
    request_id TEXT,
    expected JSONB NOT NULL,
    added_by TEXT NOT NULL,
    added_at TIMESTAMPTZ NOT NULL,
    retired_at TIMESTAMPTZ,
    retired_by TEXT,
    retired_reason TEXT,
    -- What came of it when it was last run with the version in force.
    verdict TEXT CHECK (verdict IN ('equal', 'different', 'failed')),
    verdict_version BIGINT,
    verdict_at TIMESTAMPTZ,
    -- How sure the machine was of each type and field then, and whether it was right.
    observed JSONB
);
CREATE INDEX golden_cases_by_workflow ON golden_cases (workflow_name, added_at);
CREATE UNIQUE INDEX golden_cases_names ON golden_cases (workflow_name, name)
    WHERE retired_at IS NULL;
CREATE UNIQUE INDEX golden_cases_requests ON golden_cases (request_id)
    WHERE request_id IS NOT NULL AND retired_at IS NULL;

CREATE TABLE golden_files (
    case_id TEXT NOT NULL REFERENCES golden_cases (id),
    n BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    place TEXT NOT NULL,
    content BYTEA,
    PRIMARY KEY (case_id, n)
);

CREATE INDEX review_corrections_golden ON review_corrections (request_id) WHERE golden = 1;
