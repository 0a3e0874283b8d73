-- When a user's own session last changed name, number or phones is found without reading the whole log.
CREATE INDEX operator_audit_account ON operator_audit (user_id, at) WHERE action = 'account.changed';
