-- Web Push to browsers in which operators are signed in. Nodes of earlier versions end sessions without knowing of it: so ON DELETE CASCADE.
CREATE TABLE operator_pushes (
  session_id TEXT PRIMARY KEY REFERENCES operator_sessions (id) ON DELETE CASCADE,
  operator_id TEXT NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
  endpoint TEXT NOT NULL UNIQUE,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  language TEXT NOT NULL,
  whole_text INTEGER NOT NULL CHECK (whole_text IN (0, 1)),
  kept_at INTEGER NOT NULL,
  sent_at INTEGER,
  failed_at INTEGER,
  failure TEXT
) STRICT;
CREATE INDEX operator_pushes_of_operator ON operator_pushes (operator_id);
