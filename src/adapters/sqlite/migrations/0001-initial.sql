-- All moments are epoch milliseconds.
CREATE TABLE applications (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  legacy INTEGER NOT NULL,
  disabled INTEGER NOT NULL,
  settings TEXT NOT NULL,
  actuators TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE application_secrets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  app_id TEXT NOT NULL REFERENCES applications (id),
  secret TEXT NOT NULL
) STRICT;
CREATE INDEX application_secrets_by_app ON application_secrets (app_id);

-- `no` is the short name of a user in the tables that grow with every message.
CREATE TABLE users (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL REFERENCES applications (id),
  external_user_id TEXT NOT NULL,
  name TEXT,
  email TEXT,
  phone TEXT,
  address TEXT,
  disabled INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (app_id, external_user_id)
) STRICT;

CREATE TABLE contacts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  phone TEXT NOT NULL,
  email TEXT,
  language TEXT NOT NULL,
  priority INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX contacts_by_user ON contacts (user_id, priority);

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL REFERENCES applications (id),
  hardware_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  firmware_version TEXT,
  hardware_model TEXT,
  paired_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (app_id, hardware_id)
) STRICT;
CREATE INDEX devices_by_user ON devices (user_id);

-- `record` holds the whole aggregate (src/core/incident.ts); the columns are what is searched for.
CREATE TABLE incidents (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  is_open INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  occurred_ms INTEGER NOT NULL,
  occurred_nanos INTEGER NOT NULL,
  next_action_at INTEGER,
  record TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_open_incident_per_user ON incidents (user_id) WHERE is_open;
CREATE INDEX incidents_by_user ON incidents (user_id, opened_at, id);
CREATE INDEX incidents_by_opening ON incidents (opened_at, id);
CREATE INDEX incidents_by_update ON incidents (updated_at);
CREATE INDEX incidents_by_next_action ON incidents (next_action_at) WHERE next_action_at IS NOT NULL;

CREATE VIEW deliveries AS
SELECT
  incidents.id AS incident_id,
  delivery.value ->> 'id' AS id,
  delivery.value ->> 'purpose' AS purpose,
  delivery.value ->> 'actuator' AS actuator,
  delivery.value ->> 'channel' AS channel,
  delivery.value ->> 'contactId' AS contact_id,
  delivery.value ->> 'round' AS round,
  delivery.value ->> 'attempt' AS attempt,
  delivery.value ->> 'status' AS status,
  delivery.value ->> 'dueAt' AS due_at,
  delivery.value ->> 'claim' AS claim,
  delivery.value ->> 'provider' AS provider,
  delivery.value ->> 'error' AS error,
  delivery.value ->> 'updatedAt' AS updated_at
FROM incidents, json_each(incidents.record, '$.deliveries') AS delivery;

CREATE TABLE tracking_links (
  token TEXT PRIMARY KEY,
  incident_id TEXT NOT NULL REFERENCES incidents (id),
  contact_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tracking_links_by_incident ON tracking_links (incident_id);

-- The identity of an alert (Decisions 3): owner, device, instant.
CREATE TABLE alerts (
  user_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  at_nanos INTEGER NOT NULL,
  incident_id TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  fingerprint TEXT,
  PRIMARY KEY (user_id, device_id, at_ms, at_nanos)
) STRICT, WITHOUT ROWID;

CREATE TABLE positions (
  incident_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  at_nanos INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  latitude REAL NOT NULL,
  longitude REAL NOT NULL,
  altitude REAL,
  PRIMARY KEY (incident_id, at_ms, at_nanos, seq)
) STRICT, WITHOUT ROWID;

-- One b-tree that keeps the order and tells duplicates.
CREATE TABLE telemetry (
  user_no INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  at_nanos INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (user_no, at_ms, at_nanos, device_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE dead_letters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  topic TEXT NOT NULL,
  reason TEXT NOT NULL,
  payload BLOB NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  attempt_id TEXT NOT NULL UNIQUE,
  incident_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  recipient TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_by_incident ON outbox (incident_id);

-- What another process has done and the running service has to announce.
CREATE TABLE notices (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  left_at INTEGER NOT NULL,
  notice TEXT NOT NULL
) STRICT;

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
