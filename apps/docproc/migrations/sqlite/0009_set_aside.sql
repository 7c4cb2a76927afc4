-- E-mails are taken too, and what of an archive could not be read is told beside the archive.
CREATE TABLE files_of_requests (
    request_id TEXT NOT NULL REFERENCES requests (id),
    n INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('pdf', 'tiff', 'jpeg', 'png', 'zip', 'text', 'mail')),
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    place TEXT NOT NULL,
    -- A small file itself, in the same commit as its request; larger ones are in storage.
    content BLOB,
    -- Where it came out of, when it was packed.
    packed_in INTEGER,
    password TEXT,
    pages INTEGER,
    -- Of an archive: names, codes and reasons of what was set aside.
    set_aside TEXT,
    PRIMARY KEY (request_id, n)
) STRICT;
INSERT INTO files_of_requests (request_id, n, name, kind, bytes, sha256, place, content, packed_in,
    password, pages)
SELECT request_id, n, name, kind, bytes, sha256, place, content, packed_in, password, pages
FROM request_files;
DROP TABLE request_files;
ALTER TABLE files_of_requests RENAME TO request_files;
CREATE INDEX request_files_by_hash ON request_files (sha256);
