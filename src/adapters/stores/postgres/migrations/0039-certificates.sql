-- The certificate from a public CA, and what getting it takes. value: sealed, except that of attempts. at: epoch ms.
CREATE TABLE certificate_records (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  at bigint NOT NULL
);
