-- Whether a new contact is asked to confirm. Off for the applications there are.
ALTER TABLE applications ADD COLUMN verify_contacts boolean NOT NULL DEFAULT false;
