-- rules.md#standing, as of the last change. Open ones from before stand first until their next change.
ALTER TABLE incidents ADD COLUMN urgency INTEGER NOT NULL DEFAULT 0;
-- The board in its order: the most urgent first.
DROP INDEX incidents_open;
CREATE INDEX incidents_open ON incidents (urgency, opened_at) WHERE open = 1;
