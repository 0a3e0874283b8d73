-- About how many bytes each user's rows take, so that quotas are kept without counting. What was stored before this migration is not in it:
-- reading whole tables would hold up a large site's start. It leaves with its retention.
ALTER TABLE users ADD COLUMN telemetry_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN dead_letter_bytes INTEGER NOT NULL DEFAULT 0;
