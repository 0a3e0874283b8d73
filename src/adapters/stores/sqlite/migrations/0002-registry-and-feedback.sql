-- Hardware that the operator expects, with what its pairing code hashes to. `tries`: wrong codes since the last right one or lock.
CREATE TABLE hardware (
  app_id TEXT NOT NULL REFERENCES applications (id),
  hardware_id TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  model TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  locked_until INTEGER,
  registered_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, hardware_id)
) STRICT;

CREATE TABLE feedback (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  message TEXT NOT NULL,
  category TEXT,
  rating INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX feedback_by_user ON feedback (user_id);
