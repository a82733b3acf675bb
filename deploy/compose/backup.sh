#!/bin/sh
# Backs up app.* every BACKUP_EVERY_SECONDS, and restores each backup into the server `scratch`, whose database `restored` the service
# backup-check compares (docs/operations/compose.md, "Back up"). `dump` and `restore` are the two halves of one round.
set -eu
umask 077
backups=${BACKUPS_DIRECTORY:-/backups}
index=$backups/index.done

# One snapshot for both: what is restored is compared with the index as it was then. The index is not kept.
dump() {
  rm -f "$backups"/*.partial "$backups"/*.done
  name=app-$(date -u +%Y%m%dT%H%M%SZ).dump
  PGUSER=partner_owner PGPASSWORD=$PARTNER_OWNER_PASSWORD SELF=$0 psql -Xq -v ON_ERROR_STOP=1 -d "$PGDATABASE" <<'SQL'
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT pg_export_snapshot() AS snapshot \gset
\setenv SNAPSHOT :snapshot
\! "$SELF" at-snapshot
SQL
  # psql before 16 does not say how a command of `\!` ended: this fails where it did.
  mv "$backups/app.done" "$backups/$name"
  echo "backed up: $name"
  find "$backups" -maxdepth 1 -name 'app-*.dump' -mtime "+$BACKUP_KEEP_DAYS" -exec rm {} +
}

dump_at_snapshot() {
  common="--format custom --no-privileges --snapshot $SNAPSHOT"
  # shellcheck disable=SC2086
  pg_dump $common --exclude-schema 'onchain*' --exclude-schema ponder_sync --file "$backups/app.partial"
  mv "$backups/app.partial" "$backups/app.done"
  # shellcheck disable=SC2086
  PGUSER=partner_indexer PGPASSWORD=$PARTNER_INDEXER_PASSWORD \
    pg_dump $common --no-owner --schema 'onchain*' --file "$backups/index.partial"
  mv "$backups/index.partial" "$index"
}

scratch() {
  program=$1
  database=$2
  shift 2
  PGHOST=$SCRATCH_HOST PGPORT=${SCRATCH_PORT:-5432} PGUSER=postgres "$program" -d "$database" "$@"
}

on_scratch() {
  database=$1
  shift
  scratch psql "$database" -Xq -v ON_ERROR_STOP=1 "$@"
}

# As docs/operations/restore.md does. It begins by dropping what was restored before, which fails while that is still being compared.
restore() {
  newest=$(find "$backups" -maxdepth 1 -name 'app-*.dump' | sort | tail -n 1)
  on_scratch postgres -c 'DROP DATABASE IF EXISTS restored' -c 'DROP DATABASE IF EXISTS restoring' -c 'CREATE DATABASE restoring'
  on_scratch restoring -f "${ROLES_SQL:-/roles.sql}"
  scratch pg_restore restoring --exit-on-error "$newest"
  scratch pg_restore restoring --exit-on-error "$index"
  rm "$index"
  on_scratch restoring -c ANALYZE
  on_scratch postgres -c "COMMENT ON DATABASE restoring IS '$(basename "$newest")'" -c 'ALTER DATABASE restoring RENAME TO restored'
  echo "restored: $(basename "$newest")"
}

# In processes of their own: `set -e` does not hold within a condition.
repeat() {
  pause=
  trap '[ -z "$pause" ] || kill "$pause"; exit 0' TERM INT
  while :; do
    if ! "$0" dump; then
      echo "no backup was made" >&2
    elif ! "$0" restore; then
      echo "the backup was not restored" >&2
    fi
    sleep "$BACKUP_EVERY_SECONDS" &
    pause=$!
    wait "$pause"
  done
}

case ${1:-repeat} in
  dump) dump ;;
  at-snapshot) dump_at_snapshot ;;
  restore) restore ;;
  repeat) repeat ;;
  *) echo "usage: $0 [dump|restore]" >&2 && exit 2 ;;
esac
