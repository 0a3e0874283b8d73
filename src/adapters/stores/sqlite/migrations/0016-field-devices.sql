-- The token that a tracker proves itself with. Only its hash is kept; it ends with the pairing.
CREATE TABLE device_tokens (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is kept of a tracker that speaks for itself: when it was heard, its battery and its SOS flag.
CREATE TABLE device_states (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  heard_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (json_valid(state))
) STRICT, WITHOUT ROWID;
