-- Devices that should report. Minutes: 0 is off; null, for hardware: as its application says.
ALTER TABLE applications ADD COLUMN silent_after_minutes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hardware ADD COLUMN silent_after_minutes INTEGER;
-- When a watched device was last heard. silent_since: the same moment, once it counts as silent.
CREATE TABLE device_hearings (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  heard_at INTEGER NOT NULL,
  silent_since INTEGER
) STRICT, WITHOUT ROWID;
