-- The last backup is found without reading the whole log.
CREATE INDEX operator_audit_backups ON operator_audit (id) WHERE action = 'backup.made';
