-- Who first relayed an incident, for the erasure of that user. The index that did this computed an expression over the record with every write of it.
CREATE TABLE relays (
  incident INTEGER PRIMARY KEY REFERENCES incidents (number),
  user_id TEXT NOT NULL
) STRICT;
CREATE INDEX relays_by_user ON relays (user_id);
INSERT INTO relays (incident, user_id)
SELECT number, record ->> '$.relayUserId' FROM incidents WHERE record ->> '$.relayUserId' IS NOT NULL;
DROP INDEX incidents_by_relay;
