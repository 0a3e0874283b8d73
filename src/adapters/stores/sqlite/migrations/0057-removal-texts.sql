-- What a person's proved number is to be told when a phone or the whole person is taken away, until it has left (app.md#removing).
CREATE TABLE removal_texts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  asked TEXT NOT NULL,
  until INTEGER NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX removal_texts_of_user ON removal_texts (user_id);
CREATE INDEX removal_texts_by_due ON removal_texts (due_at);
