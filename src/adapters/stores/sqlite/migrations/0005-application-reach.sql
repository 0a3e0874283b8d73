-- IANA time zone of messages and pages; NULL: the machine's, for applications from before there was a choice.
ALTER TABLE applications ADD COLUMN time_zone TEXT;
-- Origins of browser apps that may call /v1/sdk: ["https://app.example.com"].
ALTER TABLE applications ADD COLUMN cors_origins TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(cors_origins));
-- The last entry of every cascade: {"name": "…", "phone": "+…"}, or NULL.
ALTER TABLE applications ADD COLUMN fallback_contact TEXT CHECK (fallback_contact IS NULL OR json_valid(fallback_contact));
