-- What retention and the erasure of a user look for, so that neither reads a whole table.
CREATE INDEX incidents_by_closing ON incidents (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX incidents_by_relay ON incidents (record ->> '$.relayUserId') WHERE record ->> '$.relayUserId' IS NOT NULL;
CREATE INDEX outbox_by_age ON outbox (created_at);
CREATE INDEX dead_letters_by_age ON dead_letters (received_at);
CREATE INDEX dead_letters_by_user ON dead_letters (user_id);
CREATE INDEX feedback_by_age ON feedback (created_at);
