#!/bin/sh
# Sets the password of each program's role when the database is created; roles.sql sets none (docs/DATABASE.md).
set -eu
for program in owner api worker deliverer indexer operator; do
  password=$(printenv "PARTNER_$(echo "$program" | tr '[:lower:]' '[:upper:]')_PASSWORD")
  # psql reads the password as a variable: it is in no process' arguments.
  psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --quiet <<SQL
\set password \`printenv PARTNER_$(echo "$program" | tr '[:lower:]' '[:upper:]')_PASSWORD\`
ALTER ROLE partner_$program PASSWORD :'password';
SQL
done
