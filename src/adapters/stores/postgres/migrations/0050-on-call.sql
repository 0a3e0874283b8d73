-- Who is on call (on-call.md): one row, 'list'. document: null from the first change until it is stored.
CREATE TABLE on_call (name text COLLATE "C" PRIMARY KEY, document json NOT NULL);
