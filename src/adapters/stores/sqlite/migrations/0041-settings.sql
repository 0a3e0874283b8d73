-- What operators have set in the console. key: of the configuration; value: JSON, or sealed with the site's key.
CREATE TABLE site_settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL
) STRICT;
-- Changes that can be undone: the values of their keys before and after.
CREATE TABLE setting_changes (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  section TEXT NOT NULL,
  before TEXT NOT NULL CHECK (json_valid(before)),
  after TEXT NOT NULL CHECK (json_valid(after))
) STRICT;
