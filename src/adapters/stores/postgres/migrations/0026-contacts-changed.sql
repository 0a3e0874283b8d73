-- When a user's own session last changed the contacts is found without reading the whole log.
CREATE INDEX operator_audit_contacts ON operator_audit (user_id, at) WHERE action = 'contacts.changed';
