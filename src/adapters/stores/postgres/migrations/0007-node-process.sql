-- Random for each start of a node: what has been granted to it stays its own, although it may not have heard of it.
ALTER TABLE nodes ADD COLUMN process text COLLATE "C" NOT NULL DEFAULT '';
