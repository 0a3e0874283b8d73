-- Who works with the console. applications: null for all. Secrets that the service makes up are kept as SHA-256, passwords as scrypt.
-- totp_secret: codes are computed from it, so it is kept as it is.
CREATE TABLE operators (
  id text COLLATE "C" PRIMARY KEY,
  login text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  applications json,
  disabled boolean NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  signed_in_at bigint,
  password_hash text,
  totp_secret text,
  totp_step bigint NOT NULL DEFAULT 0,
  recovery_hashes json NOT NULL DEFAULT '[]',
  known_networks json NOT NULL DEFAULT '[]'
);

CREATE TABLE operator_invitations (
  operator_id text COLLATE "C" PRIMARY KEY REFERENCES operators (id),
  hash text COLLATE "C" NOT NULL UNIQUE,
  totp_secret text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

CREATE TABLE operator_sessions (
  id text COLLATE "C" PRIMARY KEY,
  operator_id text COLLATE "C" NOT NULL REFERENCES operators (id),
  hash text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  address text NOT NULL,
  browser text NOT NULL
);
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id, seen_at);

CREATE TABLE api_tokens (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  applications json,
  hash text COLLATE "C" NOT NULL UNIQUE,
  created_by text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  used_at bigint
);

-- Rows are added, and what a row says of a user is forgotten when that user is erased. user_id, app_id: no references, because rows stay.
CREATE TABLE operator_audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('operator', 'token', 'command', 'stranger')),
  actor_id text COLLATE "C",
  actor_name text NOT NULL,
  address text,
  action text NOT NULL,
  app_id text COLLATE "C",
  user_id text COLLATE "C",
  subject text COLLATE "C",
  details json NOT NULL
);
CREATE INDEX operator_audit_by_age ON operator_audit (at);
CREATE INDEX operator_audit_by_user ON operator_audit (user_id) WHERE user_id IS NOT NULL;
CREATE FUNCTION operator_audit_row_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.user_id IS NULL OR NEW.user_id IS NOT NULL OR NEW.subject IS NOT NULL OR NEW.details::text <> '{}'
    OR to_jsonb(NEW) - '{user_id,subject,details}'::text[] <> to_jsonb(OLD) - '{user_id,subject,details}'::text[] THEN
    RAISE EXCEPTION 'rows of the audit log do not change';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER operator_audit_only_grows BEFORE UPDATE ON operator_audit FOR EACH ROW EXECUTE FUNCTION operator_audit_row_stays();

CREATE TABLE incident_notes (
  id text COLLATE "C" PRIMARY KEY,
  incident_number bigint NOT NULL REFERENCES incidents (number),
  at bigint NOT NULL,
  author text NOT NULL,
  text text NOT NULL
);
CREATE INDEX incident_notes_in_order ON incident_notes (incident_number, at, id);

-- contact_id: '' for the user.
CREATE TABLE called_back (
  incident_number bigint NOT NULL REFERENCES incidents (number),
  contact_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  author text NOT NULL,
  PRIMARY KEY (incident_number, contact_id)
);
