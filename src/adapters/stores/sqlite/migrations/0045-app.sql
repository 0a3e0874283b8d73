-- The app in the box. web_app: null until it is first switched on. enrolled_by, invitation_id: of users whom an invitation created.
-- erases_at: when the user's own request to be erased takes effect.
ALTER TABLE applications ADD COLUMN web_app TEXT CHECK (json_valid(web_app));
ALTER TABLE users ADD COLUMN enrolled_by TEXT;
ALTER TABLE users ADD COLUMN invitation_id TEXT;
ALTER TABLE users ADD COLUMN erases_at INTEGER;
CREATE INDEX users_to_erase ON users (erases_at) WHERE erases_at IS NOT NULL;

-- hash: of the secret in the link, which is not stored.
CREATE TABLE app_invitations (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL REFERENCES applications (id),
  kind TEXT NOT NULL,
  user_id TEXT REFERENCES users (id),
  hash TEXT NOT NULL UNIQUE,
  label TEXT,
  proposes TEXT CHECK (json_valid(proposes)),
  places INTEGER NOT NULL,
  used INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX app_invitations_of_application ON app_invitations (app_id, created_at);
CREATE INDEX app_invitations_of_user ON app_invitations (user_id) WHERE user_id IS NOT NULL;

-- Devices with a credential of their own. hash: of the credential; key_hash: of the key that the browser made. An invitation goes before
-- its devices.
CREATE TABLE app_devices (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  invitation_id TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  key_hash TEXT NOT NULL,
  salt TEXT NOT NULL,
  enrolled_at INTEGER NOT NULL,
  used_at INTEGER,
  removed_from INTEGER
) STRICT;
CREATE INDEX app_devices_of_user ON app_devices (user_id);
CREATE UNIQUE INDEX app_devices_by_key ON app_devices (invitation_id, key_hash);
CREATE INDEX app_devices_of_invitation ON app_devices (invitation_id, enrolled_at);
CREATE INDEX app_devices_to_remove ON app_devices (removed_from) WHERE removed_from IS NOT NULL;
