-- What helpers should know about a user, with the contacts who may. value: sealed with the site's key. A node of an earlier version
-- that erases the user erases the card with them.
CREATE TABLE cards (
  user_id text COLLATE "C" PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  value text NOT NULL,
  updated_at bigint NOT NULL
);
