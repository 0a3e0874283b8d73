-- How many ends of an application named no alarm. day: its beginning in UTC, epoch ms.
CREATE TABLE unnamed_ends (
  app_id text COLLATE "C" NOT NULL REFERENCES applications (id),
  day bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (app_id, day)
);
