-- Whether a relay sent it: it must not make a press of the owner a repeat.
ALTER TABLE alerts ADD COLUMN relayed INTEGER NOT NULL DEFAULT 0 CHECK (relayed IN (0, 1));
