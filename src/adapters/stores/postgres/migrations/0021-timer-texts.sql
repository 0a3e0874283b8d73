-- Reminders of timers that went out by SMS in the last day, which bound how many may follow.
CREATE TABLE timer_texts (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id),
  phone text NOT NULL,
  sent_at bigint NOT NULL
);
CREATE INDEX timer_texts_of_user ON timer_texts (user_id);
CREATE INDEX timer_texts_to_number ON timer_texts (phone);
CREATE INDEX timer_texts_by_age ON timer_texts (sent_at);
