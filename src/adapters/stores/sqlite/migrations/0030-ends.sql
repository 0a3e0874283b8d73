-- The time of an alert as it was sent, by which an end may name it, beside the event time that counted. sent_by: 'session', 'device', 'relay', 'other' or 'timer'. All null: an earlier version kept it, and its event time is what was sent.
ALTER TABLE alerts ADD COLUMN sent_ms INTEGER;
ALTER TABLE alerts ADD COLUMN sent_nanos INTEGER;
ALTER TABLE alerts ADD COLUMN sent_by TEXT;
-- Only where the arrival counted instead.
CREATE INDEX alerts_by_sent ON alerts (user, sent_ms) WHERE sent_ms <> ms;

-- Alerts that the user's session has ended before they came. device_id: '' where the alert names none. at: of the end.
CREATE TABLE awaited_ends (
  user INTEGER NOT NULL REFERENCES users (number),
  ms INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (user, ms, nanos, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX awaited_ends_by_age ON awaited_ends (at);
