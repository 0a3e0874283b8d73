-- The address for the first administrator of a site without operators: at most one row, with the hash of its secret. node: which made
-- it; null where one process has the store. Nodes of earlier versions leave it alone; an operator whom they add ends it.
CREATE TABLE setup_links (
  hash text COLLATE "C" PRIMARY KEY,
  node text COLLATE "C",
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
