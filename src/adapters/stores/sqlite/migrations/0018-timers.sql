-- Overdue timers. opens_at, reminds_at: deadlines, which move with the clock; due_at stays as it was given.
CREATE TABLE timers (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  due_at INTEGER NOT NULL,
  opens_at INTEGER NOT NULL,
  reminds_at INTEGER,
  note TEXT,
  position TEXT CHECK (json_valid(position)),
  status TEXT NOT NULL CHECK (status IN ('running', 'ended', 'raised')),
  over_at INTEGER,
  incident_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX timers_of_user ON timers (user_id, due_at);
CREATE INDEX timers_to_open ON timers (opens_at, id) WHERE status = 'running';
CREATE INDEX timers_to_remind ON timers (reminds_at) WHERE status = 'running' AND reminds_at IS NOT NULL;
CREATE INDEX timers_by_age ON timers (over_at) WHERE over_at IS NOT NULL;
-- Deadlines that the clock has moved away from due_at, until the date is believed again.
CREATE INDEX timers_moved ON timers (id) WHERE status = 'running' AND opens_at <> due_at + 300000;
