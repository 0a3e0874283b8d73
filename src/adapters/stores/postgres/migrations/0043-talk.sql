-- What person, contacts and operators say during an alarm (rules.md#talk). sender_id: of the contact or operator, '' for the person.
-- readers: ids of the contacts who may read it.
CREATE TABLE talk_lines (
  -- Nodes of earlier versions delete incidents without knowing of this table.
  incident_number bigint NOT NULL REFERENCES incidents (number) ON DELETE CASCADE,
  n bigint NOT NULL,
  at bigint NOT NULL,
  side text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  sender_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  phone text COLLATE "C",
  key text COLLATE "C" NOT NULL,
  text text NOT NULL,
  quick_reply text COLLATE "C",
  to_desk boolean NOT NULL,
  readers json NOT NULL,
  PRIMARY KEY (incident_number, n)
);
CREATE UNIQUE INDEX talk_lines_of_sender ON talk_lines (incident_number, side, sender_id, key);
