-- Overdue timers. opens_at, reminds_at: deadlines, which move with the clock; due_at stays as it was given.
CREATE TABLE timers (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id),
  due_at bigint NOT NULL,
  opens_at bigint NOT NULL,
  reminds_at bigint,
  note text,
  position json,
  status text NOT NULL CHECK (status IN ('running', 'ended', 'raised')),
  over_at bigint,
  incident_id text COLLATE "C",
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX timers_of_user ON timers (user_id, due_at);
CREATE INDEX timers_to_open ON timers (opens_at, id) WHERE status = 'running';
CREATE INDEX timers_to_remind ON timers (reminds_at) WHERE status = 'running' AND reminds_at IS NOT NULL;
CREATE INDEX timers_by_age ON timers (over_at) WHERE over_at IS NOT NULL;
-- Deadlines that the clock has moved away from due_at, until the date is believed again.
CREATE INDEX timers_moved ON timers (id) WHERE status = 'running' AND opens_at <> due_at + 300000;
