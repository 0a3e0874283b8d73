-- Where a position comes from: 'session', 'device' or 'relay' (a listed one), or null from before this migration. All of these are the owner's own.
ALTER TABLE telemetry ADD COLUMN source TEXT;
ALTER TABLE trail ADD COLUMN source TEXT;
-- The tracker that a position is from; null where the alert or row named none, and from before this migration.
ALTER TABLE trail ADD COLUMN device_id TEXT;
-- Rows that another user's session sent for a tracker ('other'), kept apart so that they never make one of the owner's a duplicate.
CREATE TABLE relayed_telemetry (
  user INTEGER NOT NULL REFERENCES users (number),
  ms INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  at TEXT,
  received_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  source TEXT,
  PRIMARY KEY (user, ms, nanos, device_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE relayed_trail (
  incident INTEGER NOT NULL REFERENCES incidents (number),
  ms INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  at TEXT NOT NULL,
  latitude REAL NOT NULL,
  longitude REAL NOT NULL,
  altitude REAL,
  accuracy REAL,
  source TEXT,
  device_id TEXT,
  PRIMARY KEY (incident, ms, nanos)
) STRICT, WITHOUT ROWID;
-- Which users may send for the trackers of others: any, those with `relay`, or none.
ALTER TABLE applications ADD COLUMN relays TEXT NOT NULL DEFAULT 'any';
ALTER TABLE users ADD COLUMN relay INTEGER NOT NULL DEFAULT 0 CHECK (relay IN (0, 1));
