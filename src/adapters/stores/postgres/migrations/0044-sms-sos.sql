-- SOS by SMS: whether the application takes it, and the number that its users text.
ALTER TABLE applications ADD COLUMN sms_sos boolean NOT NULL DEFAULT false;
ALTER TABLE applications ADD COLUMN sms_number text;
CREATE INDEX users_by_phone ON users (phone) WHERE phone IS NOT NULL;
-- The number that a user has proved. taken_at: another user has proved it since. code: of the user's texts.
CREATE TABLE phone_proofs (
  user_id text COLLATE "C" PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  phone text COLLATE "C" NOT NULL,
  proved_at bigint NOT NULL,
  taken_at bigint,
  code text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX phone_proofs_by_phone ON phone_proofs (phone) WHERE taken_at IS NULL;
-- Codes sent to numbers, of a day.
CREATE TABLE phone_codes (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  phone text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  requested_at bigint NOT NULL,
  tries bigint NOT NULL
);
CREATE INDEX phone_codes_of_user ON phone_codes (user_id);
CREATE INDEX phone_codes_of_number ON phone_codes (phone);
CREATE INDEX phone_codes_by_request ON phone_codes (requested_at);
-- Texts that raised an SOS, of the last days. id: of the message.
CREATE TABLE sms_alerts (
  id text COLLATE "C" PRIMARY KEY,
  phone text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  incident_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  received_at bigint NOT NULL,
  coded boolean NOT NULL,
  end_code text COLLATE "C",
  answer text COLLATE "C" NOT NULL,
  ended_at bigint
);
CREATE INDEX sms_alerts_of_number ON sms_alerts (phone, received_at);
CREATE INDEX sms_alerts_of_user ON sms_alerts (user_id);
CREATE INDEX sms_alerts_by_arrival ON sms_alerts (received_at);
