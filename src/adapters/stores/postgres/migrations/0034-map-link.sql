-- Where a tap on a position leads: a template with {lat} and {lon}. Null: the built-in one.
ALTER TABLE applications ADD COLUMN map_link text;
