-- Attempts that were folded out of an incident's record, so that it stays small. n: the attempt's number, behind the point of its id.
CREATE TABLE timeline (
  incident INTEGER NOT NULL REFERENCES incidents (number),
  n INTEGER NOT NULL,
  attempt TEXT NOT NULL CHECK (json_valid(attempt)),
  PRIMARY KEY (incident, n)
) STRICT, WITHOUT ROWID;

DROP VIEW deliveries;
-- For operators: every attempt to tell somebody, one a row.
CREATE VIEW deliveries AS
WITH attempts AS (
  SELECT incidents.id AS incident_id, user_id, value AS attempt FROM incidents, json_each(incidents.record, '$.deliveries')
  UNION ALL
  SELECT incidents.id, user_id, attempt FROM timeline JOIN incidents ON incidents.number = timeline.incident
)
SELECT
  incident_id,
  user_id,
  attempt ->> 'id' AS attempt_id,
  attempt ->> 'purpose' AS purpose,
  attempt ->> 'actuator' AS actuator,
  attempt ->> 'channel' AS channel,
  attempt ->> 'contactId' AS contact_id,
  attempt ->> 'round' AS round,
  attempt ->> 'attempt' AS attempt,
  attempt ->> 'tries' AS tries,
  attempt ->> 'status' AS status,
  attempt ->> 'dueAt' AS due_at,
  attempt ->> '$.claim.at' AS claimed_at,
  attempt ->> 'provider' AS provider,
  attempt ->> 'providerRef' AS provider_ref,
  attempt ->> 'error' AS error,
  attempt ->> 'updatedAt' AS updated_at
FROM attempts;
