-- The payload of a telemetry row in its compact form; payload is '' then. Rows of earlier versions keep their JSON text.
ALTER TABLE telemetry ADD COLUMN compact BLOB;
ALTER TABLE relayed_telemetry ADD COLUMN compact BLOB;
