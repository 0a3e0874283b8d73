-- Keys of operators' devices that sign in alone. bound_to: the authenticator app at that time. Nodes of earlier versions know nothing of them.
CREATE TABLE passkeys (
  id text COLLATE "C" PRIMARY KEY,
  operator_id text COLLATE "C" NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
  name text NOT NULL,
  public_key text NOT NULL,
  counter bigint NOT NULL,
  host text NOT NULL,
  synced boolean NOT NULL,
  transports json NOT NULL,
  bound_to text NOT NULL,
  added_at bigint NOT NULL,
  used_at bigint,
  challenged_at bigint NOT NULL
);
CREATE INDEX passkeys_of_operator ON passkeys (operator_id);
