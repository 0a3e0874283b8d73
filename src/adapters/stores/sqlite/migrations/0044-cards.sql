-- What helpers should know about a user, with the contacts who may. value: sealed with the site's key.
CREATE TABLE cards (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
