-- The original joins a task with its page by the page's id, which says whose page it is.
DROP VIEW backoffice_tasks;
CREATE VIEW backoffice_tasks AS
SELECT id, request_id, task_type,
       CASE WHEN SUBSTR(item, 1, 1) = 'p' THEN request_id || '/' || item ELSE item END AS reference_id,
       status, priority, assigned_to, input_data, output_data, required_skills, source_stage,
       workflow_name, queue AS backoffice_queue, created_at, assigned_at, completed_at
FROM review_tasks;
