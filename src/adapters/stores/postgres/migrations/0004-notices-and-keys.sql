-- Every process that shares the database leaves notices of its own changes. origin: the process that left it, a new name at each start.
-- incident_id, mark: where the notice has events, the incident and how far it has come with them, a number that only grows. A process that
-- has announced as much has nothing to read.
ALTER TABLE notices DROP COLUMN left_at;
ALTER TABLE notices ADD COLUMN origin text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE notices ADD COLUMN incident_id text COLLATE "C";
ALTER TABLE notices ADD COLUMN mark bigint;

-- What nodes must have in common: made once, by the first node that needs it.
CREATE TABLE shared_keys (
  name text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);
