-- Reminders of timers that went out by SMS in the last day, which bound how many may follow.
CREATE TABLE timer_texts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  phone TEXT NOT NULL,
  sent_at INTEGER NOT NULL
) STRICT;
CREATE INDEX timer_texts_of_user ON timer_texts (user_id);
CREATE INDEX timer_texts_to_number ON timer_texts (phone);
CREATE INDEX timer_texts_by_age ON timer_texts (sent_at);
