-- Timestamps are epoch milliseconds. `ms` and `nanos` together are an event time: milliseconds, and the nanoseconds within them.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- newest_moment: the newest moment that anything stored here happened at. write_checks: counts the proofs that a write reaches the disk.
INSERT INTO meta (key, value) VALUES ('newest_moment', 0), ('write_checks', 0);

CREATE TABLE applications (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  legacy INTEGER NOT NULL CHECK (legacy IN (0, 1)),
  disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  actuators TEXT NOT NULL CHECK (json_valid(actuators)),
  created_at INTEGER NOT NULL
) STRICT;

-- Ids are never given twice: a session names the secret that admitted it.
CREATE TABLE application_secrets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  app_id TEXT NOT NULL REFERENCES applications (id),
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX application_secrets_by_app ON application_secrets (app_id);

-- number: what telemetry and alerts name the user by, because it is short. Never given twice.
CREATE TABLE users (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL REFERENCES applications (id),
  external_user_id TEXT NOT NULL,
  name TEXT,
  email TEXT,
  phone TEXT,
  address TEXT,
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (app_id, external_user_id)
) STRICT;

CREATE TABLE contacts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  priority INTEGER NOT NULL,
  name TEXT NOT NULL,
  phone TEXT NOT NULL,
  email TEXT,
  language TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX contacts_in_order ON contacts (user_id, priority);

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

-- record: the whole incident as the core has it. The columns beside it are what is searched for, and always follow from it.
CREATE TABLE incidents (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL REFERENCES applications (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  occurred_ms INTEGER NOT NULL,
  occurred_nanos INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  next_action_at INTEGER,
  record TEXT NOT NULL CHECK (json_valid(record))
) STRICT;
CREATE UNIQUE INDEX one_open_incident_per_user ON incidents (user_id) WHERE open = 1;
CREATE INDEX incidents_to_do ON incidents (next_action_at) WHERE next_action_at IS NOT NULL;
CREATE INDEX incidents_of_user ON incidents (user_id, opened_at);
CREATE INDEX incidents_by_opening ON incidents (opened_at);

CREATE TABLE tracking_tokens (
  token TEXT PRIMARY KEY,
  incident INTEGER NOT NULL REFERENCES incidents (number),
  contact_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tracking_tokens_by_incident ON tracking_tokens (incident);

-- The identity of an alert with what it led to. device_id: '' where the alert named none.
CREATE TABLE alerts (
  user INTEGER NOT NULL REFERENCES users (number),
  ms INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  incident INTEGER NOT NULL REFERENCES incidents (number),
  received_at INTEGER NOT NULL,
  fingerprint TEXT,
  PRIMARY KEY (user, ms, nanos, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX alerts_by_incident ON alerts (incident);

CREATE TABLE trail (
  incident INTEGER NOT NULL REFERENCES incidents (number),
  ms INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  at TEXT NOT NULL,
  latitude REAL NOT NULL,
  longitude REAL NOT NULL,
  altitude REAL,
  PRIMARY KEY (incident, ms, nanos)
) STRICT, WITHOUT ROWID;

-- One b-tree that orders and tells repeats apart. device_id: '' where the row named none. at: the event time's text where the
-- payload does not have it.
CREATE TABLE telemetry (
  user INTEGER NOT NULL REFERENCES users (number),
  ms INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  at TEXT,
  received_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (user, ms, nanos, device_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  attempt_id TEXT NOT NULL UNIQUE,
  incident_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('sms', 'voice')),
  recipient TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_by_incident ON outbox (incident_id);

CREATE TABLE dead_letters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  topic TEXT NOT NULL,
  reason TEXT NOT NULL,
  payload BLOB NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;

-- What another process changed, for the running service to announce. Ids only grow.
CREATE TABLE notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  left_at INTEGER NOT NULL,
  notice TEXT NOT NULL
) STRICT;

-- For operators: every attempt to tell somebody, one a row.
CREATE VIEW deliveries AS
SELECT
  incidents.id AS incident_id,
  incidents.user_id AS user_id,
  delivery.value ->> 'id' AS attempt_id,
  delivery.value ->> 'purpose' AS purpose,
  delivery.value ->> 'actuator' AS actuator,
  delivery.value ->> 'channel' AS channel,
  delivery.value ->> 'contactId' AS contact_id,
  delivery.value ->> 'round' AS round,
  delivery.value ->> 'attempt' AS attempt,
  delivery.value ->> 'tries' AS tries,
  delivery.value ->> 'status' AS status,
  delivery.value ->> 'dueAt' AS due_at,
  delivery.value ->> '$.claim.at' AS claimed_at,
  delivery.value ->> 'provider' AS provider,
  delivery.value ->> 'providerRef' AS provider_ref,
  delivery.value ->> 'error' AS error,
  delivery.value ->> 'updatedAt' AS updated_at
FROM incidents, json_each(incidents.record, '$.deliveries') AS delivery;
