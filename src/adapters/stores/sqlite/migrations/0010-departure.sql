-- Where everything was copied to. With a row in here, this is not a site any more.
CREATE TABLE departure (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  place TEXT NOT NULL,
  left_at INTEGER NOT NULL
) STRICT;
