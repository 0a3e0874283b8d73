#!/bin/sh
# In the stand-in for the image postgres: what compose.yaml uses of it. https://hub.docker.com/_/postgres
set -e
data=/var/lib/postgresql/data bin=/usr/lib/postgresql/17/bin
if [ "$(id -u)" = 0 ]; then
  install -d -o 999 -g 999 /var/run/postgresql
  chown 999:999 "$data" && chmod 0700 "$data"
  exec setpriv --reuid 999 --regid 999 --clear-groups "$0"
fi
if [ ! -s "$data/PG_VERSION" ]; then
  "$bin/initdb" --pgdata "$data" --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" --auth scram-sha-256 --encoding UTF8 --no-locale
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_USER" | "$bin/postgres" --single -D "$data" postgres
fi
exec "$bin/postgres" -D "$data" -c 'listen_addresses=*'
