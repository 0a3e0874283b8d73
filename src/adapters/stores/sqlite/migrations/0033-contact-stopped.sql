-- When the contact last stopped messages by SMS. Cleared by START, a confirmation, or another number.
ALTER TABLE contacts ADD COLUMN stopped_at INTEGER;
