-- Tables of the original that have other names or are no tables here, for whoever reads them by SQL.
CREATE VIEW backoffice_tasks AS
SELECT id, request_id, task_type, item AS reference_id, status, priority, assigned_to, input_data,
       output_data, required_skills, source_stage, workflow_name, queue AS backoffice_queue,
       created_at, assigned_at, completed_at
FROM review_tasks;

-- *Fan-in*: rows that came, counted; there is no counter that could be wrong.
CREATE VIEW aggregation_state AS
SELECT id || '/' || stage AS id, id AS request_id, stage, expected_count, received_count,
       (received_count = expected_count AND loose = 0) AS is_complete, updated_at
FROM (SELECT id, 'classification' AS stage, page_count AS expected_count, updated_at,
             (SELECT COUNT(*) FROM pages WHERE pages.request_id = requests.id AND (document_id
              IS NOT NULL OR (doc_type IS NOT NULL AND standing = 'WAITING'))) AS received_count,
             0 AS loose
      FROM requests WHERE page_count IS NOT NULL
      UNION ALL
      SELECT id, 'extraction' AS stage, document_count AS expected_count, updated_at,
             (SELECT COUNT(*) FROM documents WHERE documents.request_id = requests.id
              AND standing = 'WAITING') AS received_count,
             (SELECT COUNT(*) FROM pages WHERE pages.request_id = requests.id
              AND document_id IS NULL) AS loose
      FROM requests WHERE document_count IS NOT NULL) AS joins;
