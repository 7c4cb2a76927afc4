CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
) STRICT;

-- One role per application; the application '*' is the whole house.
CREATE TABLE user_roles (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    app TEXT NOT NULL,
    role TEXT NOT NULL,
    PRIMARY KEY (user_id, app)
) STRICT;

CREATE TABLE sessions (
    hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    roles TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;

-- One row per thing that can be wrong; firing again reuses it.
CREATE TABLE alerts (
    fingerprint TEXT PRIMARY KEY,
    app TEXT NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('WARNING', 'CRITICAL')),
    title TEXT NOT NULL,
    detail TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('FIRING', 'RESOLVED')),
    occurrences INTEGER NOT NULL DEFAULT 1,
    since INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    notified_at INTEGER,
    acknowledged_by TEXT
) STRICT;
CREATE INDEX alerts_by_state ON alerts (state, last_seen);
