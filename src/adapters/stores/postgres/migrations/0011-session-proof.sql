-- When the operator last gave a password or a code; null in sessions from before: at the sign-in.
ALTER TABLE operator_sessions ADD COLUMN proved_at bigint;
