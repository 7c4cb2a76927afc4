-- Answers that their operator may still take back; they are applied at `due_at`.
CREATE TABLE held_answers (
    task_id TEXT PRIMARY KEY REFERENCES review_tasks (id) ON DELETE CASCADE,
    operator TEXT NOT NULL,
    -- What was said, as it came.
    said TEXT NOT NULL,
    golden INTEGER NOT NULL,
    due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX held_answers_by_time ON held_answers (due_at);
