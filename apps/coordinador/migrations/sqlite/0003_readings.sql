-- Every get is kept: the last value of each ONU and OID, with its time.
DROP TABLE readings;
CREATE TABLE olt_readings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    olt_id INTEGER NOT NULL REFERENCES olts (id),
    oid TEXT NOT NULL,
    run_id INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    values_read INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    UNIQUE (olt_id, oid)
) STRICT;
CREATE TABLE onu_readings (
    onu_id INTEGER NOT NULL REFERENCES onus (id),
    reading_id INTEGER NOT NULL REFERENCES olt_readings (id),
    value TEXT,
    read_at INTEGER NOT NULL,
    PRIMARY KEY (onu_id, reading_id)
) STRICT;

-- The object that the last believed walk read: it says what a state means.
ALTER TABLE olts ADD COLUMN walked_oid TEXT;

-- Nodes that follow the catalogue got objects from it that are not what they were taken for: the
-- activation of an ONU for its run status, a count of addresses for an address, places that a ZTE
-- does not have. What a person chose stays.
UPDATE nodes SET oid = '1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15'
WHERE oid = '1.3.6.1.4.1.2011.6.128.1.1.2.46.1.1' AND overrides & 8 = 0
  AND template_node_id IN (SELECT id FROM template_nodes WHERE oid IS NULL);
UPDATE nodes SET oid = '1.3.6.1.4.1.2011.6.128.1.1.2.45.1.10'
WHERE oid = '1.3.6.1.4.1.2011.6.128.1.1.2.46.1.21' AND overrides & 8 = 0
  AND template_node_id IN (SELECT id FROM template_nodes WHERE oid IS NULL);
UPDATE nodes SET oid = CASE space
    WHEN 'descripcion' THEN '1.3.6.1.4.1.3902.1012.3.28.1.1.3'
    WHEN 'serial' THEN '1.3.6.1.4.1.3902.1012.3.28.1.1.5'
    WHEN 'modelo_onu' THEN '1.3.6.1.4.1.3902.1012.3.28.1.1.1'
    WHEN 'distancia_onu' THEN '1.3.6.1.4.1.3902.1012.3.11.4.1.2'
    ELSE CASE job WHEN 'descubrimiento' THEN '1.3.6.1.4.1.3902.1012.3.28.2.1.4' END
  END
WHERE oid LIKE '1.3.6.1.4.1.3902.1082.500.10.2.1.%' AND overrides & 8 = 0
  AND template_node_id IN (SELECT id FROM template_nodes WHERE oid IS NULL);
