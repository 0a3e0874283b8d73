-- Keys of operators' devices that sign in alone. bound_to: the authenticator app at that time. Nodes of earlier versions know nothing of them.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  operator_id TEXT NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  host TEXT NOT NULL,
  synced INTEGER NOT NULL CHECK (synced IN (0, 1)),
  transports TEXT NOT NULL CHECK (json_valid(transports)),
  bound_to TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  used_at INTEGER,
  challenged_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passkeys_of_operator ON passkeys (operator_id);
