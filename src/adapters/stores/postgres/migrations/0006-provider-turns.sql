-- One account of turns for all nodes: a provider, a channel, and a hash of what its rate applies to. record: core/pacing/shared-account.
CREATE TABLE provider_turns (
  account text COLLATE "C" PRIMARY KEY,
  record json NOT NULL
);
