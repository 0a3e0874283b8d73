-- Everyone who joined by one invitation is found without reading all users.
CREATE INDEX users_of_invitation ON users (invitation_id) WHERE invitation_id IS NOT NULL;
