-- The address for the first administrator of a site without operators: at most one row, with the hash of its secret. node: which made
-- it; null where one process has the store.
CREATE TABLE setup_links (
  hash TEXT PRIMARY KEY,
  node TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
