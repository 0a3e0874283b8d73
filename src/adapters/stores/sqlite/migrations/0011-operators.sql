-- Who works with the console. applications: null for all. Secrets that the service makes up are kept as SHA-256, passwords as scrypt.
-- totp_secret: codes are computed from it, so it is kept as it is.
CREATE TABLE operators (
  id TEXT PRIMARY KEY,
  login TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  applications TEXT CHECK (json_valid(applications)),
  disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  signed_in_at INTEGER,
  password_hash TEXT,
  totp_secret TEXT,
  totp_step INTEGER NOT NULL DEFAULT 0,
  recovery_hashes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(recovery_hashes)),
  known_networks TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(known_networks))
) STRICT;

CREATE TABLE operator_invitations (
  operator_id TEXT PRIMARY KEY REFERENCES operators (id),
  hash TEXT NOT NULL UNIQUE,
  totp_secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE operator_sessions (
  id TEXT PRIMARY KEY,
  operator_id TEXT NOT NULL REFERENCES operators (id),
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  address TEXT NOT NULL,
  browser TEXT NOT NULL
) STRICT;
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id, seen_at);

CREATE TABLE api_tokens (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  applications TEXT CHECK (json_valid(applications)),
  hash TEXT NOT NULL UNIQUE,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;

-- Rows are added, and what a row says of a user is forgotten when that user is erased. user_id, app_id: no references, because rows stay.
CREATE TABLE operator_audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('operator', 'token', 'command', 'stranger')),
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  address TEXT,
  action TEXT NOT NULL,
  app_id TEXT,
  user_id TEXT,
  subject TEXT,
  details TEXT NOT NULL CHECK (json_valid(details))
) STRICT;
CREATE INDEX operator_audit_by_age ON operator_audit (at);
CREATE INDEX operator_audit_by_user ON operator_audit (user_id) WHERE user_id IS NOT NULL;
CREATE TRIGGER operator_audit_only_grows BEFORE UPDATE ON operator_audit
WHEN NOT (
  OLD.user_id IS NOT NULL AND NEW.user_id IS NULL AND NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.actor_kind = OLD.actor_kind AND NEW.actor_id IS OLD.actor_id
  AND NEW.actor_name = OLD.actor_name AND NEW.address IS OLD.address AND NEW.action = OLD.action AND NEW.app_id IS OLD.app_id
  AND NEW.subject IS NULL AND NEW.details = '{}'
)
BEGIN
  SELECT raise(ABORT, 'rows of the audit log do not change');
END;

CREATE TABLE incident_notes (
  id TEXT PRIMARY KEY,
  incident INTEGER NOT NULL REFERENCES incidents (number),
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX incident_notes_in_order ON incident_notes (incident, at, id);

-- contact_id: '' for the user.
CREATE TABLE called_back (
  incident INTEGER NOT NULL REFERENCES incidents (number),
  contact_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  PRIMARY KEY (incident, contact_id)
) STRICT, WITHOUT ROWID;
