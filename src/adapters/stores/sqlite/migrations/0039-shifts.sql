-- Whose leaving matters to an open incident (rules.md#shifts): the operator who has it, or who left with it; null where nobody's does.
ALTER TABLE incidents ADD COLUMN owner_id TEXT;
UPDATE incidents SET owner_id = record ->> '$.takenBy.operatorId' WHERE open = 1;
CREATE INDEX incidents_owned ON incidents (owner_id) WHERE open = 1 AND owner_id IS NOT NULL;
-- The newest offer of each operator to hand over all of theirs. answer: null while there is none.
CREATE TABLE hand_overs (
  from_id TEXT PRIMARY KEY REFERENCES operators (id),
  to_id TEXT NOT NULL REFERENCES operators (id),
  offered_at INTEGER NOT NULL,
  answer TEXT CHECK (answer IN ('accepted', 'declined')),
  answered_at INTEGER
) STRICT;
-- What an operator leaves to the next shift: one each, until it is confirmed. applications: whose matters it is about, null for all.
CREATE TABLE shift_notes (
  operator_id TEXT PRIMARY KEY REFERENCES operators (id),
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  applications TEXT CHECK (json_valid(applications))
) STRICT;
