-- When the user last sent pairing codes that were wrong: a JSON array of epoch ms, at most 20.
ALTER TABLE users ADD COLUMN wrong_codes TEXT;
