CREATE TABLE olts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    brand TEXT NOT NULL,
    model TEXT,
    address TEXT NOT NULL,
    port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
    snmp TEXT NOT NULL CHECK (snmp IN ('1', '2c', '3')),
    -- Sealed: who holds the database alone cannot read it.
    credential BLOB NOT NULL,
    enabled INTEGER NOT NULL DEFAULT 1,
    workflow_active INTEGER NOT NULL DEFAULT 1,
    -- What GETBULK asks for at once, as far as this OLT has shown to bear it.
    repetitions INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    down_since INTEGER,
    retry_at INTEGER,
    answered_at INTEGER,
    response_us INTEGER,
    walked_at INTEGER,
    -- A walk that lost too many ONUs, waiting for a second one that says the same.
    held_run INTEGER,
    -- A person looked at the loss: the next walk is believed.
    loss_accepted INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    deleted_at INTEGER,
    deleted_by TEXT,
    deletion_reason TEXT,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX olts_by_name ON olts (name) WHERE deleted_at IS NULL;

CREATE TABLE olt_templates (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    active INTEGER NOT NULL DEFAULT 1,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE template_nodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    template_id INTEGER NOT NULL REFERENCES olt_templates (id),
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    job TEXT NOT NULL CHECK (job IN ('descubrimiento', 'get')),
    space TEXT,
    oid TEXT,
    interval_seconds INTEGER NOT NULL CHECK (interval_seconds >= 0),
    priority INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 5),
    enabled INTEGER NOT NULL DEFAULT 1,
    master_key TEXT,
    after_master TEXT CHECK (after_master IN ('EXITO', 'EXITO_O_FALLO')),
    UNIQUE (template_id, key)
) STRICT;

-- The OLTs a template is pushed to.
CREATE TABLE template_links (
    template_id INTEGER NOT NULL REFERENCES olt_templates (id),
    olt_id INTEGER NOT NULL REFERENCES olts (id),
    PRIMARY KEY (template_id, olt_id)
) STRICT;
CREATE INDEX template_links_by_olt ON template_links (olt_id);

CREATE TABLE nodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    olt_id INTEGER NOT NULL REFERENCES olts (id),
    template_node_id INTEGER REFERENCES template_nodes (id),
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    job TEXT NOT NULL CHECK (job IN ('descubrimiento', 'get')),
    oid TEXT,
    space TEXT,
    priority INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 5),
    switch TEXT NOT NULL CHECK (switch IN ('HABILITADO', 'PAUSADO', 'DESHABILITADO')),
    -- A master has an interval and a grid, a member of a chain its master.
    interval_seconds INTEGER CHECK (interval_seconds > 0),
    grid_at INTEGER,
    phase_us INTEGER NOT NULL DEFAULT 0,
    next_run_at INTEGER,
    master_id INTEGER REFERENCES nodes (id),
    after_master TEXT CHECK (after_master IN ('EXITO', 'EXITO_O_FALLO')),
    overrides INTEGER NOT NULL DEFAULT 0,
    last_run_at INTEGER,
    last_success_at INTEGER,
    last_failure_at INTEGER,
    version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (olt_id, key),
    CHECK ((master_id IS NULL) = (interval_seconds IS NOT NULL AND grid_at IS NOT NULL))
) STRICT;
CREATE INDEX nodes_due ON nodes (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX nodes_by_master ON nodes (master_id) WHERE master_id IS NOT NULL;
CREATE INDEX nodes_by_template ON nodes (template_node_id) WHERE template_node_id IS NOT NULL;

-- *Ejecuciones*.
CREATE TABLE node_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    node_id INTEGER NOT NULL,
    olt_id INTEGER NOT NULL,
    job TEXT NOT NULL CHECK (job IN ('descubrimiento', 'get')),
    state TEXT NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'INTERRUPTED')),
    cause TEXT NOT NULL CHECK (cause IN ('PROGRAMADA', 'MANUAL', 'CADENA')),
    -- The master's run that a member of a chain follows.
    follows INTEGER,
    planned_at INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    asked_by TEXT,
    started_at INTEGER,
    finished_at INTEGER,
    ending TEXT,
    detail TEXT,
    summary TEXT,
    -- The process that carries it out.
    worker TEXT,
    -- In test mode, when it ends.
    ends_at INTEGER,
    CHECK ((state IN ('PENDING', 'RUNNING')) = (finished_at IS NULL)),
    CHECK (state <> 'RUNNING' OR started_at IS NOT NULL)
) STRICT;
-- A node has at most one live run.
CREATE UNIQUE INDEX node_runs_live ON node_runs (node_id) WHERE finished_at IS NULL;
CREATE INDEX node_runs_by_start ON node_runs (started_at) WHERE started_at IS NOT NULL;
CREATE INDEX node_runs_by_node ON node_runs (node_id, id);
CREATE INDEX node_runs_of_node ON node_runs (node_id, started_at) WHERE started_at IS NOT NULL;
CREATE INDEX node_runs_by_olt ON node_runs (olt_id, id);
CREATE INDEX node_runs_by_end ON node_runs (finished_at) WHERE finished_at IS NOT NULL;

CREATE INDEX node_runs_followers ON node_runs (follows) WHERE follows IS NOT NULL;

-- Processes that carry out runs, by their last sign of life.
CREATE TABLE pollers (
    id TEXT PRIMARY KEY,
    beat_at INTEGER NOT NULL
) STRICT;

-- What was decided about a node, and why.
CREATE TABLE node_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    level TEXT NOT NULL CHECK (level IN ('DEBUG', 'INFO', 'WARNING', 'ALERT')),
    kind TEXT NOT NULL,
    reason TEXT,
    olt_id INTEGER,
    node_id INTEGER,
    run_id INTEGER,
    data TEXT NOT NULL
) STRICT;
CREATE INDEX node_events_by_node ON node_events (node_id, id) WHERE node_id IS NOT NULL;
CREATE INDEX node_events_by_olt ON node_events (olt_id, id) WHERE olt_id IS NOT NULL;
CREATE INDEX node_events_by_time ON node_events (at);

-- OIDs that the house adds to the shipped ones.
CREATE TABLE catalogue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    oid TEXT NOT NULL,
    brand TEXT,
    model TEXT,
    space TEXT NOT NULL,
    keep_previous INTEGER NOT NULL DEFAULT 0,
    format_mac INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;

-- Index formulas that come before the shipped ones of the same brand and model.
CREATE TABLE index_formulas (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    brand TEXT NOT NULL,
    model TEXT,
    formula TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX index_formulas_by_device ON index_formulas (brand, COALESCE(model, ''));

-- Index map, status and inventory are one row: they are born and read together.
CREATE TABLE onus (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    olt_id INTEGER NOT NULL REFERENCES olts (id),
    raw_index TEXT NOT NULL,
    slot INTEGER,
    port INTEGER,
    logical INTEGER,
    state INTEGER,
    presence TEXT NOT NULL CHECK (presence IN ('ENABLED', 'DISABLED')),
    misses INTEGER NOT NULL DEFAULT 0,
    -- When it was last seen; of one that is present, its OLT's last walk says it.
    seen_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    changed_run INTEGER,
    description TEXT,
    mac TEXT,
    plan TEXT,
    distance TEXT,
    model TEXT,
    serial TEXT,
    subscriber TEXT,
    UNIQUE (olt_id, raw_index)
) STRICT;

-- When a column of an OLT's inventory was last read, and how it went.
CREATE TABLE readings (
    olt_id INTEGER NOT NULL REFERENCES olts (id),
    space TEXT NOT NULL,
    run_id INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    values_read INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    PRIMARY KEY (olt_id, space)
) STRICT;
