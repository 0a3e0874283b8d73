-- Where a position comes from: 'session', 'device' or 'relay' (a listed one), or null from an earlier version. All of these are the owner's own.
ALTER TABLE telemetry ADD COLUMN source text;
ALTER TABLE trail ADD COLUMN source text;
-- The tracker that a position is from; null where the alert or row named none, and from an earlier version.
ALTER TABLE trail ADD COLUMN device_id text COLLATE "C";
-- Rows that another user's session sent for a tracker ('other'), kept apart so that they never make one of the owner's a duplicate.
CREATE TABLE relayed_telemetry (
  user_number bigint NOT NULL,
  ms bigint NOT NULL,
  nanos integer NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  at text,
  received_at bigint NOT NULL,
  payload text NOT NULL,
  source text,
  PRIMARY KEY (user_number, ms, nanos, device_id)
);
CREATE TABLE relayed_trail (
  incident_number bigint NOT NULL,
  ms bigint NOT NULL,
  nanos integer NOT NULL,
  at text NOT NULL,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  altitude double precision,
  accuracy double precision,
  source text,
  device_id text COLLATE "C",
  PRIMARY KEY (incident_number, ms, nanos)
);
-- The tracker that the press of an incident came through (throughDevice in the record).
ALTER TABLE incidents ADD COLUMN through_device text COLLATE "C";
-- Which users may send for the trackers of others: any, those with `relay`, or none.
ALTER TABLE applications ADD COLUMN relays text NOT NULL DEFAULT 'any';
ALTER TABLE users ADD COLUMN relay boolean NOT NULL DEFAULT false;
