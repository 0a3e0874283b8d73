-- Whether every new SOS of the application is a silent emergency.
ALTER TABLE applications ADD COLUMN silent_by_default INTEGER NOT NULL DEFAULT 0;
