-- Texts that the operator has set in place of the built-in ones: {"de": {"alarm": "…"}}. Only what was set.
ALTER TABLE applications ADD COLUMN texts TEXT NOT NULL DEFAULT '{}';
-- Country prefixes that contacts' numbers may begin with: ["+43"]. Empty: any.
ALTER TABLE applications ADD COLUMN allowed_prefixes TEXT NOT NULL DEFAULT '[]';
