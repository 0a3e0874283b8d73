-- The app in the box. web_app: null until it is first switched on. enrolled_by, invitation_id: of users whom an invitation created.
-- erases_at: when the user's own request to be erased takes effect. Nodes of earlier versions leave all of it alone, and refuse credentials.
ALTER TABLE applications ADD COLUMN web_app json;
ALTER TABLE users ADD COLUMN enrolled_by text;
ALTER TABLE users ADD COLUMN invitation_id text COLLATE "C";
ALTER TABLE users ADD COLUMN erases_at bigint;
CREATE INDEX users_to_erase ON users (erases_at) WHERE erases_at IS NOT NULL;

-- hash: of the secret in the link, which is not stored.
CREATE TABLE app_invitations (
  id text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL REFERENCES applications (id),
  kind text NOT NULL,
  user_id text COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL UNIQUE,
  label text,
  proposes json,
  places bigint NOT NULL,
  used bigint NOT NULL,
  created_by text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  ended_at bigint
);
CREATE INDEX app_invitations_of_application ON app_invitations (app_id, created_at);
CREATE INDEX app_invitations_of_user ON app_invitations (user_id) WHERE user_id IS NOT NULL;

-- Devices with a credential of their own. hash: of the credential; key_hash: of the key that the browser made. An invitation goes before
-- its devices. The users of both tables are erased by nodes of earlier versions, too, which know neither: so ON DELETE CASCADE.
CREATE TABLE app_devices (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  invitation_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  hash text COLLATE "C" NOT NULL UNIQUE,
  key_hash text COLLATE "C" NOT NULL,
  salt text NOT NULL,
  enrolled_at bigint NOT NULL,
  used_at bigint,
  removed_from bigint
);
CREATE INDEX app_devices_of_user ON app_devices (user_id);
CREATE UNIQUE INDEX app_devices_by_key ON app_devices (invitation_id, key_hash);
CREATE INDEX app_devices_of_invitation ON app_devices (invitation_id, enrolled_at);
CREATE INDEX app_devices_to_remove ON app_devices (removed_from) WHERE removed_from IS NOT NULL;
