-- What a person's proved number is to be told when a phone or the whole person is taken away, until it has left (app.md#removing). Nodes of
-- earlier versions erase users without knowing of it: so ON DELETE CASCADE.
CREATE TABLE removal_texts (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  asked text NOT NULL,
  until bigint NOT NULL,
  due_at bigint NOT NULL
);
CREATE INDEX removal_texts_of_user ON removal_texts (user_id);
CREATE INDEX removal_texts_by_due ON removal_texts (due_at);
