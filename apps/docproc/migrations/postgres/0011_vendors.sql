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
    layout JSONB NOT NULL,
    version BIGINT NOT NULL,
    -- Documents that taught it.
    documents BIGINT NOT NULL,
    -- Recalled values that people looked at.
    right_fields BIGINT NOT NULL DEFAULT 0,
    wrong_fields BIGINT NOT NULL DEFAULT 0,
    taught_by TEXT NOT NULL,
    taught_at TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    -- Counts the changes of all of them: a process takes up what is new to it.
    changed BIGINT NOT NULL,
    forgotten_at TIMESTAMPTZ,
    forgotten_by TEXT
);
CREATE UNIQUE INDEX vendor_layouts_in_force
    ON vendor_layouts (owner, workflow_name, doc_type, vendor_key) WHERE forgotten_at IS NULL;
CREATE INDEX vendor_layouts_changed ON vendor_layouts (changed);

-- The layout by which a document was read, and its version then.
ALTER TABLE documents ADD COLUMN layout_id TEXT;
ALTER TABLE documents ADD COLUMN layout_version BIGINT;
CREATE INDEX documents_by_layout ON documents (layout_id) WHERE layout_id IS NOT NULL;
