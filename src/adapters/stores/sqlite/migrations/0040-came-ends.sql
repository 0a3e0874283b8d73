-- When the alert came that the user's session had ended before, and opened nothing. Null: it is still on its way.
ALTER TABLE awaited_ends ADD COLUMN came_at INTEGER;
