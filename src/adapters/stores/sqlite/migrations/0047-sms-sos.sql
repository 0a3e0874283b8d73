-- SOS by SMS: whether the application takes it, and the number that its users text.
ALTER TABLE applications ADD COLUMN sms_sos INTEGER NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN sms_number TEXT;
CREATE INDEX users_by_phone ON users (phone) WHERE phone IS NOT NULL;
-- The number that a user has proved. taken_at: another user has proved it since. code: of the user's texts.
CREATE TABLE phone_proofs (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  phone TEXT NOT NULL,
  proved_at INTEGER NOT NULL,
  taken_at INTEGER,
  code TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX phone_proofs_by_phone ON phone_proofs (phone) WHERE taken_at IS NULL;
-- Codes sent to numbers, of a day.
CREATE TABLE phone_codes (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  phone TEXT NOT NULL,
  code TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  tries INTEGER NOT NULL
) STRICT;
CREATE INDEX phone_codes_of_user ON phone_codes (user_id);
CREATE INDEX phone_codes_of_number ON phone_codes (phone);
CREATE INDEX phone_codes_by_request ON phone_codes (requested_at);
-- Texts that raised an SOS, of the last days. id: of the message.
CREATE TABLE sms_alerts (
  id TEXT PRIMARY KEY,
  phone TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  incident_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  coded INTEGER NOT NULL CHECK (coded IN (0, 1)),
  end_code TEXT,
  answer TEXT NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX sms_alerts_of_number ON sms_alerts (phone, received_at);
CREATE INDEX sms_alerts_of_user ON sms_alerts (user_id);
CREATE INDEX sms_alerts_by_arrival ON sms_alerts (received_at);
