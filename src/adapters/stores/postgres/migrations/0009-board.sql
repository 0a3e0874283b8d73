-- The operator's lists of incidents of one application, in their order.
CREATE INDEX incidents_of_application ON incidents (app_id, opened_at, number);
-- What operators did with an incident.
CREATE INDEX operator_audit_by_subject ON operator_audit (subject, id) WHERE subject IS NOT NULL;
