-- What operators write about a person (people.md). text_language: of texts to them, null: the application's. group_names: a list.
-- Not language, notes: statements of earlier versions join users with tables that have such columns.
-- Nodes of earlier versions leave all of it alone.
ALTER TABLE users ADD COLUMN text_language text;
ALTER TABLE users ADD COLUMN operator_notes text;
ALTER TABLE users ADD COLUMN group_names json;
