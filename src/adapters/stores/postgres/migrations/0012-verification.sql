-- What a contact said behind the link that asked them. One of both, or neither.
ALTER TABLE contacts ADD COLUMN verified_at bigint;
ALTER TABLE contacts ADD COLUMN declined_at bigint;
-- Every request to ask a number. They count the limits, so they stay as long as the user. No reference to the contact, who may be removed and come back.
CREATE TABLE verifications (
  token text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id),
  contact_id text COLLATE "C" NOT NULL,
  phone text COLLATE "C" NOT NULL,
  requested_at bigint NOT NULL,
  -- Whether nothing is sent, because somebody else had this number asked.
  withheld boolean NOT NULL,
  sent_at bigint
);
CREATE INDEX verifications_of_user ON verifications (user_id);
CREATE INDEX verifications_of_number ON verifications (phone, requested_at);
CREATE INDEX verifications_by_request ON verifications (requested_at);
CREATE INDEX verifications_to_send ON verifications (requested_at) WHERE sent_at IS NULL AND NOT withheld;
