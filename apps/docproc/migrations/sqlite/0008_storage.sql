-- What this database calls itself, and the one storage that has its files.
CREATE TABLE file_storage (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
    database_name TEXT NOT NULL,
    -- The mark of the storage, and the address under which it was met; absent: none yet.
    storage_name TEXT,
    address TEXT
);
