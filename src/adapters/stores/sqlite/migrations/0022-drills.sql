-- An exercise is never the open incident of its user: its `open` stays 0, and what asks for the open one does not find it.
ALTER TABLE incidents ADD COLUMN drill INTEGER NOT NULL DEFAULT 0 CHECK (drill IN (0, 1));
CREATE UNIQUE INDEX one_open_drill_per_user ON incidents (user_id) WHERE drill = 1 AND closed_at IS NULL;
CREATE INDEX drills_by_opening ON incidents (opened_at, number) WHERE drill = 1;
