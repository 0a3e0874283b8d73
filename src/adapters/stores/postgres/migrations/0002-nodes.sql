-- The nodes that share the sending, in place of one service. place: of the node's data directory. lease_until: by the clock of the database.
-- stopped: it has given its lease back. A token is never given twice, so it names a lease.
CREATE SEQUENCE lease_tokens;
CREATE TABLE nodes (
  id text COLLATE "C" PRIMARY KEY,
  place text COLLATE "C" NOT NULL,
  version text NOT NULL,
  token bigint NOT NULL,
  started_at bigint NOT NULL,
  lease_until bigint NOT NULL,
  draining boolean NOT NULL DEFAULT false,
  stopped boolean NOT NULL DEFAULT false
);
DROP TABLE site_lease;

-- The claims of an incident, by the token of their lease: check_at is the earliest. Follows from the record, like the columns beside it, so
-- that what a living node is sending is not listed as due to the others.
CREATE TABLE claims (
  incident_number bigint NOT NULL,
  token bigint NOT NULL,
  check_at bigint NOT NULL,
  PRIMARY KEY (incident_number, token)
);
CREATE INDEX claims_to_check ON claims (check_at);

-- free_at: what next_action_at would be without these claims. Null: the same.
ALTER TABLE incidents ADD COLUMN free_at bigint;
DROP INDEX incidents_to_do;
CREATE INDEX incidents_to_do ON incidents (coalesce(free_at, next_action_at)) WHERE next_action_at IS NOT NULL;
