-- Whose leaving matters to an open incident (rules.md#shifts): the operator who has it, or who left with it; null where nobody's does.
-- Nodes of earlier versions leave it as it is, until the next change by a current one.
ALTER TABLE incidents ADD COLUMN owner_id text COLLATE "C";
UPDATE incidents SET owner_id = record -> 'takenBy' ->> 'operatorId' WHERE open;
CREATE INDEX incidents_owned ON incidents (owner_id) WHERE open AND owner_id IS NOT NULL;
-- The newest offer of each operator to hand over all of theirs. answer: null while there is none.
CREATE TABLE hand_overs (
  from_id text COLLATE "C" PRIMARY KEY REFERENCES operators (id),
  to_id text COLLATE "C" NOT NULL REFERENCES operators (id),
  offered_at bigint NOT NULL,
  answer text CHECK (answer IN ('accepted', 'declined')),
  answered_at bigint
);
-- What an operator leaves to the next shift: one each, until it is confirmed. applications: whose matters it is about, null for all.
CREATE TABLE shift_notes (
  operator_id text COLLATE "C" PRIMARY KEY REFERENCES operators (id),
  at bigint NOT NULL,
  text text NOT NULL,
  applications json
);
