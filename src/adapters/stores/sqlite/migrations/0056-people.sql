-- What operators write about a person (people.md). text_language: of texts to them, null: the application's. group_names: a list.
-- Not language, notes: statements of earlier versions join users with tables that have such columns.
ALTER TABLE users ADD COLUMN text_language TEXT;
ALTER TABLE users ADD COLUMN operator_notes TEXT;
ALTER TABLE users ADD COLUMN group_names TEXT CHECK (json_valid(group_names));
