-- Who is on call (on-call.md): one row, 'list'.
CREATE TABLE on_call (name TEXT PRIMARY KEY, document TEXT NOT NULL CHECK (json_valid(document))) STRICT;
