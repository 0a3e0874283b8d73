-- Timestamps are epoch milliseconds. `ms` and `nanos` together are an event time: milliseconds, and the nanoseconds within them.
-- Text that is compared or sorted has the collation "C": order must not depend on how the server was set up.

-- What belongs to the whole site. believed_moment, clock_needs_operator: see the port's ClockStore.
CREATE TABLE meta (
  key text PRIMARY KEY,
  value bigint NOT NULL
);

-- The service that may send. The table `nodes` takes its place once nodes share the sending.
CREATE TABLE site_lease (
  only_row boolean PRIMARY KEY CHECK (only_row),
  node text COLLATE "C" NOT NULL,
  lease_until bigint NOT NULL
);

-- The newest moment at which each node has stored anything. Each batch in flight has a row of its own, so that none waits for another.
CREATE TABLE moments (
  node text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  newest_moment bigint NOT NULL,
  PRIMARY KEY (node, slot)
);

CREATE TABLE applications (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  language text NOT NULL,
  legacy boolean NOT NULL,
  disabled boolean NOT NULL,
  settings json NOT NULL,
  actuators json NOT NULL,
  texts json NOT NULL,
  allowed_prefixes json NOT NULL,
  time_zone text,
  cors_origins json NOT NULL,
  fallback_contact json,
  created_at bigint NOT NULL
);

-- Ids are never given twice: a session names the secret that admitted it.
CREATE TABLE application_secrets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL REFERENCES applications (id),
  secret text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX application_secrets_by_app ON application_secrets (app_id);

-- number: the short name of the user in telemetry and alerts, and the order in which owners are locked. Never given twice.
CREATE TABLE users (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  app_id text COLLATE "C" NOT NULL REFERENCES applications (id),
  external_user_id text COLLATE "C" NOT NULL,
  name text,
  email text,
  phone text,
  address text,
  disabled boolean NOT NULL DEFAULT false,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (app_id, external_user_id)
);

-- About how many bytes each user's rows take. Apart from `users`, whose rows the write door locks.
CREATE TABLE usage (
  user_number bigint PRIMARY KEY REFERENCES users (number) ON DELETE CASCADE,
  telemetry_bytes bigint NOT NULL DEFAULT 0,
  dead_letter_bytes bigint NOT NULL DEFAULT 0
);

-- Users whose erasure has not been swept up yet: telemetry in flight may still be written under their number.
CREATE TABLE erased (
  user_id text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL
);

CREATE TABLE contacts (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id),
  priority integer NOT NULL,
  name text NOT NULL,
  phone text NOT NULL,
  email text,
  language text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX contacts_in_order ON contacts (user_id, priority);

CREATE TABLE devices (
  id text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL REFERENCES applications (id),
  hardware_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id),
  firmware_version text,
  hardware_model text,
  paired_at bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (app_id, hardware_id)
);
CREATE INDEX devices_by_user ON devices (user_id);

-- Hardware that the operator expects, with the hash of its pairing code. tries: wrong codes since the last right one or lock.
CREATE TABLE hardware (
  app_id text COLLATE "C" NOT NULL REFERENCES applications (id),
  hardware_id text COLLATE "C" NOT NULL,
  code_hash text NOT NULL,
  model text,
  tries integer NOT NULL DEFAULT 0,
  locked_until bigint,
  registered_at bigint NOT NULL,
  PRIMARY KEY (app_id, hardware_id)
);

CREATE TABLE feedback (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id),
  message text NOT NULL,
  category text,
  rating integer,
  created_at bigint NOT NULL
);
CREATE INDEX feedback_by_user ON feedback (user_id, created_at, number);
CREATE INDEX feedback_by_age ON feedback (created_at);

-- The number of an incident is known before its row is written, so that one statement writes all that belongs to it.
CREATE SEQUENCE incident_numbers;

-- record: the whole incident as the core has it, in `json`, which keeps the text as it is. The columns beside it are what is searched for,
-- and always follow from it. Node, token and hand-over of a claim belong to the claim and come with the record.
CREATE TABLE incidents (
  number bigint PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  app_id text COLLATE "C" NOT NULL REFERENCES applications (id),
  user_id text COLLATE "C" NOT NULL REFERENCES users (id),
  open boolean NOT NULL,
  occurred_ms bigint NOT NULL,
  occurred_nanos integer NOT NULL,
  opened_at bigint NOT NULL,
  closed_at bigint,
  next_action_at bigint,
  relay_user_id text COLLATE "C",
  held boolean NOT NULL,
  record json NOT NULL
);
CREATE UNIQUE INDEX one_open_incident_per_user ON incidents (user_id) WHERE open;
CREATE INDEX incidents_to_do ON incidents (next_action_at) WHERE next_action_at IS NOT NULL;
CREATE INDEX incidents_open ON incidents (opened_at, number) WHERE open;
CREATE INDEX incidents_of_user ON incidents (user_id, opened_at, number);
CREATE INDEX incidents_by_opening ON incidents (opened_at, number);
CREATE INDEX incidents_by_closing ON incidents (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX incidents_by_relay ON incidents (relay_user_id) WHERE relay_user_id IS NOT NULL;

CREATE TABLE tracking_tokens (
  token text COLLATE "C" PRIMARY KEY,
  incident_number bigint NOT NULL REFERENCES incidents (number),
  contact_id text NOT NULL
);
CREATE INDEX tracking_tokens_by_incident ON tracking_tokens (incident_number);

-- The identity of an alert and the incident it belongs to. device_id: '' where the alert named none. relayed: a relay sent it, so it must
-- not make a press of the owner a repeat.
CREATE TABLE alerts (
  user_number bigint NOT NULL REFERENCES users (number),
  ms bigint NOT NULL,
  nanos integer NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  incident_number bigint NOT NULL REFERENCES incidents (number),
  received_at bigint NOT NULL,
  fingerprint text,
  relayed boolean NOT NULL,
  PRIMARY KEY (user_number, ms, nanos, device_id)
);
CREATE INDEX alerts_by_incident ON alerts (incident_number, received_at);

-- Attempts that were folded out of an incident's record. n: the attempt's number, behind the point of its id.
CREATE TABLE timeline (
  incident_number bigint NOT NULL REFERENCES incidents (number),
  n bigint NOT NULL,
  attempt json NOT NULL,
  PRIMARY KEY (incident_number, n)
);

-- Written with telemetry, which locks nothing: no foreign key here or below.
CREATE TABLE trail (
  incident_number bigint NOT NULL,
  ms bigint NOT NULL,
  nanos integer NOT NULL,
  at text NOT NULL,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  altitude double precision,
  PRIMARY KEY (incident_number, ms, nanos)
);

-- device_id: '' where the row named none. at: the event time's text where the payload does not have it.
CREATE TABLE telemetry (
  user_number bigint NOT NULL,
  ms bigint NOT NULL,
  nanos integer NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  at text,
  received_at bigint NOT NULL,
  payload text NOT NULL,
  PRIMARY KEY (user_number, ms, nanos, device_id)
);

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  attempt_id text COLLATE "C" NOT NULL UNIQUE,
  incident_id text COLLATE "C" NOT NULL,
  contact_id text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('sms', 'voice')),
  recipient text NOT NULL,
  text text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX outbox_by_incident ON outbox (incident_id);
CREATE INDEX outbox_by_age ON outbox (created_at);

CREATE TABLE dead_letters (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  topic text NOT NULL,
  reason text NOT NULL,
  payload bytea NOT NULL,
  received_at bigint NOT NULL
);
CREATE INDEX dead_letters_by_age ON dead_letters (received_at);
CREATE INDEX dead_letters_by_user ON dead_letters (user_id, id);

-- What another process changed, for the running service to announce. xact: the transaction that left it, because ids become visible out of
-- order. left_at: by the clock of whoever left it.
CREATE TABLE notices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xact bigint NOT NULL,
  left_at bigint NOT NULL,
  notice text NOT NULL
);
CREATE INDEX notices_in_order ON notices (xact, id);
