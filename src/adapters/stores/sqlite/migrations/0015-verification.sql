-- What a contact said behind the link that asked them. One of both, or neither.
ALTER TABLE contacts ADD COLUMN verified_at INTEGER;
ALTER TABLE contacts ADD COLUMN declined_at INTEGER;
-- Every request to ask a number. They count the limits, so they stay as long as the user. No reference to the contact, who may be removed and come back.
CREATE TABLE verifications (
  token TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  contact_id TEXT NOT NULL,
  phone TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  -- Whether nothing is sent, because somebody else had this number asked.
  withheld INTEGER NOT NULL CHECK (withheld IN (0, 1)),
  sent_at INTEGER
) STRICT;
CREATE INDEX verifications_of_user ON verifications (user_id);
CREATE INDEX verifications_of_number ON verifications (phone, requested_at);
CREATE INDEX verifications_by_request ON verifications (requested_at);
CREATE INDEX verifications_to_send ON verifications (requested_at) WHERE sent_at IS NULL AND withheld = 0;
