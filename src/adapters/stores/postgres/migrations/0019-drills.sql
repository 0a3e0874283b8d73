-- An exercise is never the open incident of its user: its `open` stays false, and what asks for the open one does not find it.
ALTER TABLE incidents ADD COLUMN drill boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX one_open_drill_per_user ON incidents (user_id) WHERE drill AND closed_at IS NULL;
CREATE INDEX drills_by_opening ON incidents (opened_at, number) WHERE drill;
