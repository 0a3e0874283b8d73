-- Where a code was asked for, as far as an address shows it. NULL: before this version.
ALTER TABLE phone_codes ADD COLUMN network text COLLATE "C";
