-- Metres; null where the sender did not say.
ALTER TABLE trail ADD COLUMN accuracy double precision;
