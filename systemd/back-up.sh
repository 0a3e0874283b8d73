# A backup before an upgrade: read by systemd/install.sh, and part of the package's preinst and postinst.
# Root's own directory: in the data directory, whoever took over the service could lead what root writes elsewhere.
backups=/var/backups/tocsin-upgrade

# run_as_operator PROGRAM ARGUMENT…: with the configuration of the service and nothing of the caller's environment.
run_as_operator() {
  (cd / && env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root NODE_DISABLE_COMPILE_CACHE=1 \
    TOCSIN_CONFIG="$etc/tocsin.yaml" CREDENTIALS_DIRECTORY="$etc/credentials" "$@" 2>&1)
}

# back_up PROGRAM VERSION: a backup by that program before that version. Its path is in $backups/last. 1: it cannot be
# made, and $said says why.
back_up() {
  rm -f "$backups/last"
  [ -e "$etc/tocsin.yaml" ] || [ -e /var/lib/tocsin/tocsin.db ] || return 0
  # If it cannot be made, the backup below says why.
  install -d -m 0700 "$backups" 2>/dev/null || true
  file="$backups/before-$2-$(date -u +%Y%m%dT%H%M%SZ).db"
  if said=$(run_as_operator "$1" backup "$file"); then
    printf '%s\n' "$file" >"$backups/last" || return 1
    # The newest two: each is a whole database, with people in it.
    find "$backups" -name 'before-*.db' -printf '%T@ %p\n' | sort -rn | tail -n +3 | cut -d' ' -f2- | xargs -r rm -f --
    echo "Backup before the upgrade: $file"
    return 0
  fi
  case "$said" in
    *'store.url is set'*) echo 'The data is in PostgreSQL: nothing is backed up here.' ;;
    # A service that runs has one, wherever it is: then a setting is missing here.
    *'there is no database'*) ! is_running ;;
    *) return 1 ;;
  esac
}

# back_up_or_stop PROGRAM VERSION: ends the script where no backup can be made.
back_up_or_stop() {
  if back_up "$1" "$2"; then return 0; fi
  {
    echo "error: ${said#error: }"
    echo 'No backup could be made, so nothing was changed: a service that runs goes on.'
    echo "Fix what it says (a full disk: make room in /var/backups), then install again. To go on without a backup: touch $etc/upgrade-without-backup"
  } >&2
  [ -e "$etc/upgrade-without-backup" ] || exit 1
  rm -f "$etc/upgrade-without-backup"
}

# inactive, active, activating (also between two starts) or failed; empty without systemd.
state_of_service() { if [ -d /run/systemd/system ]; then systemctl show --property ActiveState --value tocsin.service; fi; }
# Whether PROGRAM finds data that a newer version has changed. No pipe: install.sh has pipefail, and the program fails.
has_newer_data() {
  [ -e "$etc/tocsin.yaml" ] || return 1
  case "$(run_as_operator "$1" incident list --open || true)" in *'by a newer version of Tocsin'*) ;; *) return 1 ;; esac
}
is_running() { [ "$(state_of_service)" = active ]; }
