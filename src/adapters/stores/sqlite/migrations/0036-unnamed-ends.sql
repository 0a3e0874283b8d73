-- How many ends of an application named no alarm. day: its beginning in UTC, epoch ms.
CREATE TABLE unnamed_ends (
  app_id TEXT NOT NULL REFERENCES applications (id),
  day INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (app_id, day)
) STRICT, WITHOUT ROWID;
