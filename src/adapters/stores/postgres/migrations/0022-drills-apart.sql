-- Real incidents are read before exercises, and each kind is counted for itself.
DROP INDEX incidents_to_do;
CREATE INDEX incidents_to_do ON incidents (drill, coalesce(free_at, next_action_at)) WHERE next_action_at IS NOT NULL;
CREATE INDEX drills_of_user ON incidents (user_id, opened_at) WHERE drill;
