-- Tables of the original whose names are taken by tables with other columns: the same rows by its
-- columns, for whoever reads them by SQL.
CREATE VIEW original_requests AS
SELECT id, external_id, channel, workflow_name, status, priority, deadline_utc, sla_seconds, page_count,
       document_count, result AS result_payload, metadata, created_at, updated_at, completed_at
FROM requests;

CREATE VIEW original_pages AS
SELECT request_id || '/p' || n AS id, request_id, n AS page_index,
       CASE WHEN document_id IS NOT NULL THEN 'grouped'
            WHEN standing = 'REVIEW' THEN 'classification_review'
            WHEN doc_type IS NOT NULL THEN 'classified'
            WHEN ocr_text IS NOT NULL THEN 'ocr_complete'
            ELSE 'PENDIENTE_OCR' END AS status,
       ocr_text, ocr_confidence, doc_type, classification_confidence, document_id
FROM pages;

CREATE VIEW original_documents AS
SELECT id, request_id, doc_type, (SELECT json_group_array(n) FROM (SELECT n FROM pages
        WHERE pages.request_id = documents.request_id AND n BETWEEN first_page AND last_page
        ORDER BY n)) AS page_indices,
       CASE WHEN standing = 'WAITING' THEN 'completed'
            WHEN standing = 'REVIEW' THEN 'extraction_review'
            WHEN extracted_data IS NOT NULL THEN 'extracted'
            ELSE 'created' END AS status,
       extracted_data, extraction_confidence
FROM documents;

CREATE VIEW original_operators AS
SELECT username AS id, username, display_name, skills, is_active,
       (SELECT MIN(review_tasks.id) FROM review_tasks WHERE review_tasks.assigned_to =
        operators.username AND review_tasks.status = 'assigned' AND claimed = 1) AS current_task_id
FROM operators;
