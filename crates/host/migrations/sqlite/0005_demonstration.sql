-- How far the demonstration's past has been lived: one row, or none where there is no demonstration.
CREATE TABLE demonstration (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    began_at INTEGER NOT NULL,
    lived_until INTEGER NOT NULL,
    ended INTEGER NOT NULL
) STRICT;
