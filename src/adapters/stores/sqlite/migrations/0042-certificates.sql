-- The certificate from a public CA, and what getting it takes. value: sealed, except that of attempts. at: epoch ms.
CREATE TABLE certificate_records (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
