-- `arriving`: a copy from `place` into this database has begun and is not complete. `left`: everything was copied to `place`. With a row in
-- here, this is no site.
CREATE TABLE site_copy (
  only_row boolean PRIMARY KEY CHECK (only_row),
  state text NOT NULL CHECK (state IN ('arriving', 'left')),
  place text NOT NULL,
  at bigint NOT NULL
);
