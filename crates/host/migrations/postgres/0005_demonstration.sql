-- How far the demonstration's past has been lived: one row, or none where there is no demonstration.
CREATE TABLE demonstration (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    began_at TIMESTAMPTZ NOT NULL,
    lived_until TIMESTAMPTZ NOT NULL,
    ended BOOLEAN NOT NULL
);
