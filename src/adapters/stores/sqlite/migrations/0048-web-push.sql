-- Web Push to devices with the app in the box: one subscription a device. told…: the newest that the device was told of an alarm.
CREATE TABLE push_subscriptions (
  device_id TEXT PRIMARY KEY REFERENCES app_devices (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  endpoint TEXT NOT NULL UNIQUE,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  language TEXT NOT NULL,
  whole_text INTEGER NOT NULL,
  kept_at INTEGER NOT NULL,
  told TEXT NOT NULL,
  told_since INTEGER NOT NULL,
  told_version INTEGER NOT NULL,
  sent_at INTEGER,
  failed_at INTEGER,
  failure TEXT
) STRICT;
CREATE INDEX push_subscriptions_of_user ON push_subscriptions (user_id);

-- The key pair that names this site to push services. value: sealed.
CREATE TABLE push_keys (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
