-- The token that a tracker proves itself with. Only its hash is kept; it ends with the pairing.
CREATE TABLE device_tokens (
  device_id text COLLATE "C" PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL
);

-- What is kept of a tracker that speaks for itself: when it was heard, its battery and its SOS flag.
CREATE TABLE device_states (
  device_id text COLLATE "C" PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  heard_at bigint NOT NULL,
  state json NOT NULL
);
