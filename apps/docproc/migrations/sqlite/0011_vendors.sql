-- What is remembered of a vendor's documents, learnt from what people confirmed.
CREATE TABLE vendor_layouts (
    id TEXT PRIMARY KEY,
    -- Whose requests taught it: it is recalled for theirs alone.
    owner TEXT NOT NULL,
    workflow_name TEXT NOT NULL,
    doc_type TEXT NOT NULL,
    -- What tells one vendor from another.
    vendor_key TEXT NOT NULL,
    vendor TEXT NOT NULL,
    layout TEXT NOT NULL,
    version INTEGER NOT NULL,
    -- Documents that taught it.
    documents INTEGER NOT NULL,
    -- Recalled values that people looked at.
    right_fields INTEGER NOT NULL DEFAULT 0,
    wrong_fields INTEGER NOT NULL DEFAULT 0,
    taught_by TEXT NOT NULL,
    taught_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    -- Counts the changes of all of them: a process takes up what is new to it.
    changed INTEGER NOT NULL,
    forgotten_at INTEGER,
    forgotten_by TEXT
) STRICT;
CREATE UNIQUE INDEX vendor_layouts_in_force
    ON vendor_layouts (owner, workflow_name, doc_type, vendor_key) WHERE forgotten_at IS NULL;
CREATE INDEX vendor_layouts_changed ON vendor_layouts (changed);

-- The layout by which a document was read, and its version then.
ALTER TABLE documents ADD COLUMN layout_id TEXT;
ALTER TABLE documents ADD COLUMN layout_version INTEGER;
CREATE INDEX documents_by_layout ON documents (layout_id) WHERE layout_id IS NOT NULL;
