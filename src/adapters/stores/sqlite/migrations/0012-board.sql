-- The operator's lists of incidents, in their order: the open ones, and those of one application.
CREATE INDEX incidents_open ON incidents (opened_at) WHERE open = 1;
CREATE INDEX incidents_of_application ON incidents (app_id, opened_at);
-- What operators did with an incident.
CREATE INDEX operator_audit_by_subject ON operator_audit (subject) WHERE subject IS NOT NULL;
