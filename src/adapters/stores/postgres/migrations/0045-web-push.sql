-- Web Push to devices with the app in the box: one subscription a device. told…: the newest that the device was told of an alarm. Nodes of
-- earlier versions remove devices and users without knowing of it: so ON DELETE CASCADE.
CREATE TABLE push_subscriptions (
  device_id text COLLATE "C" PRIMARY KEY REFERENCES app_devices (id) ON DELETE CASCADE,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  endpoint text COLLATE "C" NOT NULL UNIQUE,
  p256dh text NOT NULL,
  auth text NOT NULL,
  language text NOT NULL,
  whole_text boolean NOT NULL,
  kept_at bigint NOT NULL,
  told text NOT NULL,
  told_since bigint NOT NULL,
  told_version bigint NOT NULL,
  sent_at bigint,
  failed_at bigint,
  failure text
);
CREATE INDEX push_subscriptions_of_user ON push_subscriptions (user_id);

-- The key pair that names this site to push services. value: sealed.
CREATE TABLE push_keys (name text COLLATE "C" PRIMARY KEY, value text NOT NULL, at bigint NOT NULL);
