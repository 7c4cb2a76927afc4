-- Menu items. Stock may go below zero on purpose: the counter knows better than the count.
CREATE TABLE articles (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category TEXT,
    price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
    weight INTEGER NOT NULL DEFAULT 1 CHECK (weight BETWEEN 1 AND 4),
    station TEXT,
    tracks_stock INTEGER NOT NULL DEFAULT 0,
    stock INTEGER NOT NULL DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL DEFAULT 'RECIBIDO'
        CHECK (state IN ('RECIBIDO', 'EN_PREPARACION', 'LISTO', 'ENTREGADO', 'CANCELADO')),
    received_at INTEGER NOT NULL,
    due_at INTEGER,
    estimate_minutes INTEGER NOT NULL,
    planned_start INTEGER,
    started_at INTEGER,
    expected_finish INTEGER,
    ready_at INTEGER,
    delivered_at INTEGER,
    cancelled_at INTEGER,
    automatic INTEGER NOT NULL DEFAULT 1,
    mode TEXT NOT NULL CHECK (mode IN ('DELIVERY', 'RETIRO')),
    channel TEXT NOT NULL CHECK (channel IN ('MOSTRADOR', 'TELEFONO', 'WHATSAPP', 'WEB')),
    payment_method TEXT CHECK (payment_method IN ('EFECTIVO', 'DEBITO', 'CREDITO',
        'TRANSFERENCIA', 'TRANSFERENCIA_FACTURADA', 'MERCADOPAGO')),
    payment_state TEXT NOT NULL DEFAULT 'PENDIENTE'
        CHECK (payment_state IN ('PENDIENTE', 'PAGADO', 'RECHAZADO', 'CANCELADO')),
    cash_on_delivery INTEGER NOT NULL DEFAULT 0,
    effort INTEGER NOT NULL,
    total_cents INTEGER NOT NULL,
    customer_name TEXT,
    customer_phone TEXT,
    customer_address TEXT,
    customer_email TEXT,
    note TEXT,
    hold_reason TEXT,
    cancel_reason TEXT,
    stock_restored INTEGER NOT NULL DEFAULT 0,
    created_by TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    CHECK (state <> 'EN_PREPARACION' OR (started_at IS NOT NULL AND expected_finish IS NOT NULL))
) STRICT;
CREATE INDEX orders_queue ON orders (state, received_at, id);
CREATE INDEX orders_planned ON orders (state, planned_start);
CREATE INDEX orders_promised ON orders (state, due_at);
CREATE INDEX orders_expected ON orders (state, expected_finish);
CREATE INDEX orders_by_time ON orders (received_at);

CREATE TABLE order_lines (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    n INTEGER NOT NULL,
    article_id INTEGER REFERENCES articles (id),
    name TEXT NOT NULL,
    weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 4),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
    note TEXT,
    extras TEXT,
    station TEXT,
    PRIMARY KEY (order_id, n)
) STRICT;

-- One ticket per order, for life.
CREATE TABLE tickets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    order_id INTEGER NOT NULL UNIQUE REFERENCES orders (id),
    revision INTEGER NOT NULL DEFAULT 1,
    acknowledged_revision INTEGER NOT NULL DEFAULT 1,
    opened_at INTEGER NOT NULL
) STRICT;

CREATE TABLE ticket_lines (
    ticket_id INTEGER NOT NULL REFERENCES tickets (id),
    n INTEGER NOT NULL,
    name TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    note TEXT,
    extras TEXT,
    station TEXT,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'PENDIENTE' CHECK (state IN ('PENDIENTE', 'LISTA', 'ANULADA')),
    PRIMARY KEY (ticket_id, n)
) STRICT;

-- What a cook pressed, so that it can be taken back in order.
CREATE TABLE bumps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_id INTEGER NOT NULL REFERENCES tickets (id),
    line INTEGER,
    made_ready INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX bumps_by_ticket ON bumps (ticket_id, id);

CREATE TABLE order_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    order_id INTEGER NOT NULL REFERENCES orders (id),
    at INTEGER NOT NULL,
    from_state TEXT,
    to_state TEXT NOT NULL,
    cause TEXT NOT NULL,
    actor TEXT NOT NULL,
    role TEXT NOT NULL,
    reason TEXT
) STRICT;
CREATE INDEX order_history_by_order ON order_history (order_id, id);

-- One sale per order: charging twice is charging once.
CREATE TABLE sales (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    order_id INTEGER NOT NULL UNIQUE REFERENCES orders (id),
    method TEXT NOT NULL,
    total_cents INTEGER NOT NULL,
    charged_at INTEGER NOT NULL,
    charged_by TEXT NOT NULL
) STRICT;

CREATE TABLE capacity_rules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    weekday INTEGER CHECK (weekday BETWEEN 0 AND 6),
    from_time TEXT NOT NULL,
    to_time TEXT NOT NULL,
    staff INTEGER CHECK (staff > 0),
    capacity INTEGER NOT NULL CHECK (capacity > 0),
    note TEXT,
    valid_from TEXT,
    valid_to TEXT,
    version INTEGER NOT NULL DEFAULT 1
) STRICT;

-- The one kitchen: a pause in force, and what was last said about capacity and late orders.
CREATE TABLE kitchen (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    pause_reason TEXT,
    pause_until INTEGER,
    paused_by TEXT,
    late_announced TEXT NOT NULL,
    late_announced_at INTEGER,
    capacity_announced TEXT
) STRICT;
