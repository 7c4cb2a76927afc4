-- What an alert says in each language, where to look, and who looks after it or muted it until when.
ALTER TABLE alerts ADD COLUMN title_en TEXT NOT NULL DEFAULT '';
ALTER TABLE alerts ADD COLUMN detail_en TEXT NOT NULL DEFAULT '';
ALTER TABLE alerts ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE alerts ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE alerts ADD COLUMN acknowledged_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE alerts ADD COLUMN acknowledged_until timestamptz;
ALTER TABLE alerts ADD COLUMN muted_by TEXT;
ALTER TABLE alerts ADD COLUMN muted_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE alerts ADD COLUMN muted_until timestamptz;

-- Until now both languages were kept in one text, Spanish first.
UPDATE alerts SET
    title_en = CASE WHEN strpos(title, ' / ') > 0
        THEN substr(title, strpos(title, ' / ') + 3) ELSE title END,
    title = CASE WHEN strpos(title, ' / ') > 0
        THEN substr(title, 1, strpos(title, ' / ') - 1) ELSE title END,
    detail_en = CASE WHEN strpos(detail, ' / ') > 0
        THEN substr(detail, strpos(detail, ' / ') + 3) ELSE detail END,
    detail = CASE WHEN strpos(detail, ' / ') > 0
        THEN substr(detail, 1, strpos(detail, ' / ') - 1) ELSE detail END;
