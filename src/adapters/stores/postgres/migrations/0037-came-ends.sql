-- When the alert came that the user's session had ended before, and opened nothing. Null: it is still on its way, or a node of an earlier version took it.
ALTER TABLE awaited_ends ADD COLUMN came_at bigint;
