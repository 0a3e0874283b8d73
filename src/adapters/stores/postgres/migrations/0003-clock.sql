-- The jumps of the server's clock that the deadlines have followed. Every batch that stamps deadlines reads it before it locks anything, which
-- holds the table until the batch has ended: who moves the deadlines locks it against that.
CREATE TABLE clock_jumps (
  only_row boolean PRIMARY KEY CHECK (only_row),
  count bigint NOT NULL,
  total_ms bigint NOT NULL
);

-- Until when the server's clock ran evenly, as the node saw it that said so last.
CREATE TABLE clock_confirmed (
  only_row boolean PRIMARY KEY CHECK (only_row),
  at bigint NOT NULL,
  node text COLLATE "C" NOT NULL
);
