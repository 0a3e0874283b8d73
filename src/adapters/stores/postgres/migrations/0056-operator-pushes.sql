-- Web Push to browsers in which operators are signed in. Nodes of earlier versions end sessions without knowing of it: so ON DELETE CASCADE.
CREATE TABLE operator_pushes (
  session_id text COLLATE "C" PRIMARY KEY REFERENCES operator_sessions (id) ON DELETE CASCADE,
  operator_id text COLLATE "C" NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
  endpoint text COLLATE "C" NOT NULL UNIQUE,
  p256dh text NOT NULL,
  auth text NOT NULL,
  language text NOT NULL,
  whole_text boolean NOT NULL,
  kept_at bigint NOT NULL,
  sent_at bigint,
  failed_at bigint,
  failure text
);
CREATE INDEX operator_pushes_of_operator ON operator_pushes (operator_id);
