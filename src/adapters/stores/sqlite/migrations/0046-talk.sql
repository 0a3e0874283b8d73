-- What person, contacts and operators say during an alarm (rules.md#talk). sender_id: of the contact or operator, '' for the person.
-- readers: ids of the contacts who may read it.
CREATE TABLE talk_lines (
  incident_number INTEGER NOT NULL REFERENCES incidents (number),
  n INTEGER NOT NULL,
  at INTEGER NOT NULL,
  side TEXT NOT NULL,
  channel TEXT NOT NULL,
  sender_id TEXT NOT NULL,
  name TEXT NOT NULL,
  phone TEXT,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  quick_reply TEXT,
  to_desk INTEGER NOT NULL,
  readers TEXT NOT NULL CHECK (json_valid(readers)),
  PRIMARY KEY (incident_number, n)
) STRICT;
CREATE UNIQUE INDEX talk_lines_of_sender ON talk_lines (incident_number, side, sender_id, key);
