-- Whether a new contact is asked to confirm. Off for the applications there are.
ALTER TABLE applications ADD COLUMN verify_contacts INTEGER NOT NULL DEFAULT 0;
