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
