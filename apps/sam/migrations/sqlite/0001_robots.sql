CREATE TABLE pools (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    active INTEGER NOT NULL DEFAULT 1,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;

-- When the balancer last changed a pool's assignments; 0 stands for "no pool".
CREATE TABLE pool_changes (
    pool_id INTEGER PRIMARY KEY,
    changed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE robots (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    parameters TEXT,
    active INTEGER NOT NULL DEFAULT 1,
    online INTEGER NOT NULL DEFAULT 0,
    min_runners INTEGER NOT NULL DEFAULT 1 CHECK (min_runners >= 0),
    max_runners INTEGER CHECK (max_runners >= min_runners),
    priority INTEGER NOT NULL DEFAULT 100,
    tickets_per_runner INTEGER NOT NULL DEFAULT 10 CHECK (tickets_per_runner >= 1),
    pool_id INTEGER REFERENCES pools (id),
    seen_name TEXT,
    seen_at INTEGER,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX robots_by_pool ON robots (pool_id);

CREATE TABLE runners (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL,
    user_name TEXT,
    licence TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 1,
    dynamic INTEGER NOT NULL DEFAULT 0,
    pool_id INTEGER REFERENCES pools (id),
    connected INTEGER,
    seen_name TEXT,
    seen_at INTEGER,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX runners_by_pool ON runners (pool_id);

CREATE TABLE calendars (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    holidays TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE schedules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    robot_id INTEGER NOT NULL REFERENCES robots (id),
    kind TEXT NOT NULL CHECK (kind IN ('Diaria', 'Semanal', 'Mensual', 'RangoMensual', 'Especifica')),
    start_time TEXT NOT NULL,
    tolerance_minutes INTEGER NOT NULL CHECK (tolerance_minutes BETWEEN 0 AND 1440),
    weekdays TEXT,
    day INTEGER CHECK (day BETWEEN 1 AND 31),
    from_day INTEGER CHECK (from_day BETWEEN 1 AND 31),
    to_day INTEGER CHECK (to_day BETWEEN from_day AND 31),
    last_days INTEGER CHECK (last_days BETWEEN 1 AND 31),
    on_date TEXT,
    cyclic INTEGER NOT NULL DEFAULT 0,
    end_time TEXT,
    interval_minutes INTEGER CHECK (interval_minutes >= 1),
    valid_from TEXT,
    valid_to TEXT,
    active INTEGER NOT NULL DEFAULT 1,
    calendar_id INTEGER REFERENCES calendars (id),
    created_at INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX schedules_by_robot ON schedules (robot_id);

-- A runner serves one robot beside its schedules: reserved or dynamic, never both.
CREATE TABLE assignments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    robot_id INTEGER NOT NULL REFERENCES robots (id),
    runner_id INTEGER NOT NULL REFERENCES runners (id),
    hold TEXT NOT NULL CHECK (hold IN ('PROGRAMADO', 'RESERVADO', 'DINAMICO')),
    schedule_id INTEGER REFERENCES schedules (id),
    assigned_at INTEGER NOT NULL,
    assigned_by TEXT NOT NULL,
    CHECK ((hold = 'PROGRAMADO') = (schedule_id IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX assignments_one_unscheduled ON assignments (runner_id) WHERE schedule_id IS NULL;
CREATE UNIQUE INDEX assignments_by_schedule ON assignments (schedule_id, runner_id)
    WHERE schedule_id IS NOT NULL;
CREATE INDEX assignments_by_robot ON assignments (robot_id);

-- One live run per runner, one accepted run per slot, one run per deployment: the keys say so.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    robot_id INTEGER NOT NULL REFERENCES robots (id),
    runner_id INTEGER NOT NULL REFERENCES runners (id),
    user_id INTEGER NOT NULL,
    hold TEXT NOT NULL CHECK (hold IN ('PROGRAMADO', 'RESERVADO', 'DINAMICO')),
    schedule_id INTEGER,
    slot TEXT,
    slot_at INTEGER,
    slot_taken INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL CHECK (state IN ('PENDING_EXECUTION', 'DEPLOYED', 'QUEUED', 'RUNNING',
        'RUN_PAUSED', 'UNKNOWN', 'COMPLETED', 'RUN_COMPLETED', 'RUN_FAILED', 'RUN_ABORTED',
        'RUN_TIMED_OUT', 'DEPLOY_FAILED', 'COMPLETED_INFERRED')),
    live INTEGER NOT NULL,
    deployment_id TEXT,
    claimed_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    updated_at INTEGER NOT NULL,
    closing TEXT CHECK (closing IN ('CALLBACK', 'CONCILIADOR', 'INFERENCIA', 'UNKNOWN_2H',
        'ANTIGUEDAD', 'DESPLIEGUE', 'OPERADOR')),
    attempts INTEGER NOT NULL DEFAULT 0,
    posted_at INTEGER,
    misses INTEGER NOT NULL DEFAULT 0,
    unknown_since INTEGER,
    raw_status TEXT,
    cause TEXT,
    callback TEXT,
    repetitions INTEGER NOT NULL DEFAULT 1,
    CHECK (live = (closing IS NULL)),
    CHECK (live = (finished_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX runs_live ON runs (runner_id) WHERE live;
CREATE UNIQUE INDEX runs_slot ON runs (schedule_id, runner_id, slot) WHERE slot_taken;
CREATE UNIQUE INDEX runs_deployment ON runs (deployment_id) WHERE deployment_id IS NOT NULL;
CREATE INDEX runs_by_pair ON runs (robot_id, runner_id, finished_at);
CREATE INDEX runs_by_time ON runs (claimed_at);
CREATE INDEX runs_by_runner ON runs (runner_id, claimed_at);

-- The life of a run, step by step.
CREATE TABLE run_steps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    told TEXT,
    source TEXT NOT NULL,
    detail TEXT
) STRICT;
CREATE INDEX run_steps_by_run ON run_steps (run_id, id);

-- Callbacks that named no run yet; matched when their deployment becomes known.
CREATE TABLE stray_callbacks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    deployment_id TEXT NOT NULL,
    status TEXT NOT NULL,
    payload TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    matched_at INTEGER,
    UNIQUE (deployment_id, status)
) STRICT;

-- A slot that waits, or was missed, and the rule that held it.
CREATE TABLE slots (
    schedule_id INTEGER NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    runner_id INTEGER NOT NULL REFERENCES runners (id),
    slot TEXT NOT NULL,
    starts_at INTEGER NOT NULL,
    until INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (schedule_id, runner_id, slot)
) STRICT;
CREATE INDEX slots_missed ON slots (missed, until);

-- What an error suspended: a pair, or with 0 a robot or a runner as a whole.
CREATE TABLE suspensions (
    robot_id INTEGER NOT NULL,
    runner_id INTEGER NOT NULL,
    code TEXT NOT NULL,
    detail TEXT NOT NULL,
    failures INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (robot_id, runner_id)
) STRICT;

-- The Control Room's circuit breaker: one row.
CREATE TABLE control_room (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    failures INTEGER NOT NULL DEFAULT 0,
    opened_at INTEGER,
    until INTEGER,
    code TEXT,
    detail TEXT,
    looked_at INTEGER,
    synced_at INTEGER,
    sync_error TEXT
) STRICT;

CREATE TABLE mappings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    provider TEXT NOT NULL,
    external_name TEXT NOT NULL,
    robot_id INTEGER NOT NULL REFERENCES robots (id),
    description TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (provider, external_name)
) STRICT;

-- Pending tickets by provider; NULL = the provider failed and the demand is unknown.
CREATE TABLE demand (
    provider TEXT NOT NULL,
    robot_id INTEGER NOT NULL REFERENCES robots (id),
    pending INTEGER CHECK (pending >= 0),
    at INTEGER NOT NULL,
    PRIMARY KEY (provider, robot_id)
) STRICT;

-- What the balancer did, one row per runner moved, with the arithmetic behind it.
CREATE TABLE moves (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    pool_id INTEGER,
    robot_id INTEGER NOT NULL REFERENCES robots (id),
    runner_id INTEGER NOT NULL REFERENCES runners (id),
    action TEXT NOT NULL CHECK (action IN ('ASIGNAR', 'DESASIGNAR')),
    motive TEXT NOT NULL,
    tickets INTEGER,
    before INTEGER NOT NULL,
    after INTEGER NOT NULL,
    arithmetic TEXT NOT NULL
) STRICT;
CREATE INDEX moves_by_time ON moves (at);
CREATE INDEX moves_by_robot ON moves (robot_id, at);
