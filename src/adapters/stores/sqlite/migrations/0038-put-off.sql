-- run: what the presses of one run have in common; null: no run counts this press, or an earlier version kept it.
ALTER TABLE alerts ADD COLUMN run TEXT;
CREATE INDEX alerts_by_arrival ON alerts (user, device_id, received_at) WHERE run IS NOT NULL;

-- It has ended, and presses that go on are put off: boards list it among the open ones.
ALTER TABLE incidents ADD COLUMN put_off INTEGER NOT NULL DEFAULT 0 CHECK (put_off IN (0, 1));
CREATE INDEX incidents_put_off ON incidents (urgency, opened_at) WHERE put_off = 1;
