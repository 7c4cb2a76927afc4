-- E-mails are taken too, and what of an archive could not be read is told beside the archive.
ALTER TABLE request_files DROP CONSTRAINT request_files_kind_check;
ALTER TABLE request_files ADD CONSTRAINT request_files_kind_check
    CHECK (kind IN ('pdf', 'tiff', 'jpeg', 'png', 'zip', 'text', 'mail'));
-- Of an archive: names, codes and reasons of what was set aside.
ALTER TABLE request_files ADD COLUMN set_aside JSONB;
