-- A number that counted until its user proved another one; null: the one that is proved (preparing.md#phone-proof).
ALTER TABLE removal_texts ADD COLUMN phone TEXT;
