-- The major incident that an alarm is in (rules.md#major), as its record says.
ALTER TABLE incidents ADD COLUMN major_id TEXT;
CREATE INDEX incidents_of_major ON incidents (major_id) WHERE major_id IS NOT NULL;
