-- What operators have set in the console. key: of the configuration; value: JSON, or sealed with the site's key.
CREATE TABLE site_settings (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  sealed boolean NOT NULL,
  changed_at bigint NOT NULL,
  changed_by text NOT NULL
);
-- Changes that can be undone: the values of their keys before and after.
CREATE TABLE setting_changes (
  id text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL,
  author text NOT NULL,
  section text NOT NULL,
  before json NOT NULL,
  after json NOT NULL
);
