#!/usr/bin/env bash
# Installs, upgrades or removes Tocsin on Debian 12 and 13; safe to run again. docs/operating.md
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: systemd/install.sh [--provider outbox|twilio|http] [--public-url URL] [--copy-modules] [--root DIR]
       systemd/install.sh --back [--root DIR]
       systemd/install.sh --uninstall [--purge] [--root DIR]

  --provider P    how SMS and calls leave, for a new configuration; asked for on a terminal
  --public-url U  where contacts reach this service, such as https://sos.example.org, for a new configuration; asked for on a terminal
  --copy-modules  build with the node_modules of this directory instead of asking the npm registry
  --back          go back to the version before an upgrade that failed
  --uninstall     remove the service; configuration and data stay
  --purge         with --uninstall: remove configuration, data and user too
  --root DIR      install under DIR, for an image: no user is made and nothing is started
TEXT
}

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
wrong() { printf 'error: %s\n' "$*" >&2; usage >&2; exit 2; }

# As far as it has to be known here: nothing that could end the line in the configuration. `config check` looks closer.
is_address() { [[ "$1" =~ ^https?://[][A-Za-z0-9.:/_~-]+$ ]]; }

root='' provider='' public_url='' copy_modules=no uninstall=no purge=no back=no first_config=no
while [ $# -gt 0 ]; do
  case "$1" in
    --provider) [ $# -ge 2 ] || wrong '--provider needs a name'; provider="$2"; shift ;;
    --public-url) [ $# -ge 2 ] || wrong '--public-url needs an address'; public_url="$2"; shift
      is_address "$public_url" || wrong "--public-url needs an address such as https://sos.example.org, not $public_url" ;;
    --copy-modules) copy_modules=yes ;;
    --back) back=yes ;;
    --uninstall) uninstall=yes ;;
    --purge) purge=yes ;;
    --root) [ $# -ge 2 ] || wrong '--root needs a directory'; root="${2%/}"
      # An empty variable must not turn an image into this machine.
      [ -n "$root" ] || wrong '--root needs a directory other than /'
      shift ;;
    -h | --help) usage; exit 0 ;;
    *) wrong "unknown option $1" ;;
  esac
  shift
done
case "$provider" in '' | outbox | twilio | http) ;; *) wrong "unknown provider $provider" ;; esac
[ "$purge" = no ] || [ "$uninstall" = yes ] || wrong '--purge is only allowed with --uninstall'
[ "$back" = no ] || [ "$uninstall" = no ] || wrong '--back and --uninstall exclude each other'
[ "$(id -u)" -eq 0 ] || fail 'this must run as root (sudo, or su -)'

source="$(cd "$(dirname "$0")/.." && pwd)"
opt="$root/opt/tocsin" etc="$root/etc/tocsin" state="$root/var/lib/tocsin" cache="$root/var/cache/tocsin"
unit="$root/etc/systemd/system/tocsin.service" command="$root/usr/local/bin/tocsin"
# shellcheck source=systemd/back-up.sh
. "$source/systemd/back-up.sh"

# Under --root the systemd that runs is not the one that is installed for.
has_systemd() { [ -z "$root" ] && [ -d /run/systemd/system ]; }

remove() {
  if has_systemd; then
    systemctl disable --now tocsin.service 2>/dev/null || true
  fi
  rm -f "$unit" "$command" "$root/etc/systemd/system/multi-user.target.wants/tocsin.service"
  if has_systemd; then systemctl daemon-reload; fi
  rm -rf "$opt" "$opt.new" "$opt.build" "$opt.old" "$opt.failed" "$cache"
  if [ "$purge" = yes ]; then
    rm -rf "$etc" "$state" "$root$backups"
    if [ -z "$root" ] && getent passwd tocsin >/dev/null; then userdel tocsin; fi
    say 'Removed, including configuration and data.'
  else
    say "Removed. Configuration ($etc) and data ($state) were kept; remove them with --uninstall --purge."
  fi
}

ask_provider() {
  if [ -n "$provider" ] || [ -e "$etc/tocsin.yaml" ]; then return; fi
  if [ ! -t 0 ]; then
    provider=outbox
    return
  fi
  cat <<'TEXT'
How should SMS and calls be sent?
  1  not at all, until you set that up in the console: they are written to the outbox. NOBODY IS ALERTED.
  2  through Twilio, with your own account
  3  through an SMS or voice gateway with an HTTP interface, such as one on your own network
TEXT
  local answer
  while [ -z "$provider" ]; do
    read -r -p 'Number: ' answer || fail 'no answer; use --provider to choose without being asked'
    case "$answer" in
      1) provider=outbox ;;
      2) provider=twilio ;;
      3) provider=http ;;
      *) say 'Please answer 1, 2 or 3.' ;;
    esac
  done
}

ask_public_url() {
  if [ -n "$public_url" ] || [ -e "$etc/tocsin.yaml" ] || [ ! -t 0 ] || [ "$provider" = outbox ]; then return; fi
  cat <<'TEXT'
Each SMS contains a link to a page with the position and a button to respond. Contacts open it on their phones, wherever they are. At which
address can they reach this machine? It needs a certificate that phones trust (docs/operating.md, The link must open). Leave empty to set it later.
TEXT
  while read -r -p 'Address, such as https://sos.example.org: ' public_url; do
    if [ -z "$public_url" ] || is_address "$public_url"; then return; fi
    say 'Please give an address that begins with https://'
  done
}

make_user() {
  if [ -n "$root" ] || getent passwd tocsin >/dev/null; then return; fi
  useradd --system --user-group --home-dir /var/lib/tocsin --no-create-home --shell /usr/sbin/nologin tocsin
}

# To the service's own user; in an image systemd does it at the first start.
give() {
  if getent passwd tocsin >/dev/null && [ -z "$root" ]; then chown "$@"; fi
}

make_directories() {
  mkdir -p "$root/opt" "$root/usr/local/bin" "$root/etc/systemd/system" "$root/var/lib"
  install -d -m 0750 "$etc"
  install -d -m 0700 "$etc/credentials" "$state"
  give root:tocsin "$etc"
  give tocsin:tocsin "$state"
}

# Beside the old tree, so that what runs is whole until the new one is. An installation is a build (build/main.ts), which needs no sources.
build_tree() {
  [ "$source" != "$opt" ] || fail "run it from a copy of the new version, not from $opt"
  rm -rf "$opt.new" "$opt.build"
  install -d -m 0755 "$opt.new" "$opt.build"
  cp -R --no-preserve=ownership "$source"/{bin,build,config,console,sdk,src,webapp,package.json,package-lock.json} "$opt.build/"
  if [ "$copy_modules" = yes ]; then
    [ -d "$source/node_modules" ] || fail "there is no $source/node_modules to copy"
    ln -s "$source/node_modules" "$opt.build/node_modules"
    # Used again if it was made of these sources.
    [ ! -d "$source/dist" ] || cp -R --no-preserve=ownership "$source/dist" "$opt.build/"
  else
    install_modules
  fi
  SOURCE_COMMIT="$(git -C "$source" rev-parse --short=12 HEAD 2>/dev/null || true)" \
    "$opt.build/bin/node" "$opt.build/build/main.ts" >/dev/null || fail 'the new version could not be built; nothing was changed'
  # Copies: files of a build may be links to those that it is made of.
  cp -R --no-preserve=ownership "$opt.build/dist/." "$source"/{docs,systemd,README.md,CHANGELOG.md} "$opt.new/"
  rm -rf "$opt.build"
  # Last: root's umask may keep others from what was made here.
  chmod -R u=rwX,go=rX "$opt.new"
  "$opt.new/bin/tocsin" --version >/dev/null ||
    fail 'the new version does not run on this machine; nothing was changed'
}

install_modules() {
  if ! command -v npm >/dev/null; then
    command -v apt-get >/dev/null || fail 'npm is required to fetch the dependencies; install it, or use --copy-modules'
    say 'Installing npm to fetch the dependencies. The service itself uses its own Node.'
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends npm
  fi
  (cd "$opt.build" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)
}

# Kept once it is there: it is the operator's.
write_config() {
  if [ -e "$etc/tocsin.yaml" ]; then return; fi
  local new="$etc/tocsin.yaml.new"
  awk -v provider="$provider" -v public_url="$public_url" -f "$opt/systemd/first-config.awk" \
    "$opt/config/tocsin.example.yaml" >"$new"
  local line providers="  providers: [$provider]"
  # Not in the file, which would win: the console sets it.
  if [ "$provider" = outbox ]; then providers='#  providers: [outbox]'; fi
  for line in 'dataDir: /var/lib/tocsin' '  port: 443' "$providers" ${public_url:+"publicUrl: $public_url"}; do
    grep -qxF -- "$line" "$new" || fail "config/tocsin.example.yaml has no place for '$line'"
  done
  chmod 0640 "$new"
  give root:tocsin "$new"
  mv "$new" "$etc/tocsin.yaml"
  first_config=yes
}

write_command() {
  install -m 0755 "$opt/systemd/tocsin" "$command.new"
  mv "$command.new" "$command"
}

# By the version in the directory named.
check_config() {
  TOCSIN_CONFIG="$etc/tocsin.yaml" CREDENTIALS_DIRECTORY="$etc/credentials" \
    "$1/bin/tocsin" config check >/dev/null
}

# A service that runs is not stopped for a version that would not start.
spare_what_runs() {
  if ! has_systemd || ! systemctl --quiet is-active tocsin.service; then return; fi
  check_config "$opt.new" || fail 'the new version refuses this configuration; nothing was changed and the service runs on'
}

# By the version in place, before an upgrade of this machine.
back_up_before() {
  if [ -n "$root" ] || [ ! -x "$opt/bin/tocsin" ]; then return; fi
  back_up_or_stop "$opt/bin/tocsin" "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$source/package.json")"
}

# The directory of the version before stays until the new one is ready.
put_in_place() {
  rm -rf "$opt.old"
  if [ -e "$opt" ]; then mv "$opt" "$opt.old"; fi
  mv "$opt.new" "$opt"
  install -m 0644 "$opt/systemd/tocsin.service" "$unit"
}

put_old_back() {
  rm -rf "$opt.failed"
  mv "$opt" "$opt.failed"
  mv "$opt.old" "$opt"
  install -m 0644 "$opt/systemd/tocsin.service" "$unit"
  # 0.1.0 has no file of it, and the same text.
  if [ -e "$opt/systemd/tocsin" ]; then write_command; fi
  if has_systemd; then systemctl daemon-reload; fi
}

restores() { printf 'systemctl stop tocsin && tocsin restore %s && systemctl start tocsin' "$(cat "$backups/last" 2>/dev/null)"; }

# By itself only as long as nothing is lost by it.
back_to_old() {
  [ -d "$opt.old" ] || fail 'the service did not become ready; journalctl -u tocsin says why'
  if has_newer_data "$opt.old/bin/tocsin"; then
    say 'error: the new version did not become ready; journalctl -u tocsin says why. It has changed the data, so it stays in place.' >&2
    if [ ! -e "$backups/last" ]; then fail 'There is no backup to go back with.'; fi
    cat >&2 <<TEXT
To go back, run these two commands:
  $source/systemd/install.sh --back
  $(restores)
What came in since the backup is then missing; this lists the alarms, before you go back: tocsin restore --what-is-lost $(cat "$backups/last")
TEXT
    exit 1
  fi
  say 'The new version did not become ready; going back to the previous one.' >&2
  put_old_back
  systemctl restart tocsin.service || true
  fail "the upgrade failed and was rolled back; journalctl -u tocsin says why, and the new version is in $opt.failed"
}

# The first of the two commands.
go_back() {
  [ -d "$opt.old" ] || fail 'there is no version to go back to: the last upgrade did not fail'
  put_old_back
  if ! has_systemd; then
    say 'The previous version is back. systemd is not running here, so nothing was started.'
  elif has_newer_data "$opt/bin/tocsin"; then
    systemctl stop tocsin.service
    say 'The previous version is back. THE SERVICE IS STOPPED until you run the second command:' "  $(restores)" >&2
  else
    systemctl restart tocsin.service || fail 'the previous version is back, but does not start; journalctl -u tocsin says why'
    say 'The previous version runs again, on the data as it is: no backup has to be restored.'
  fi
}

start() {
  if [ -n "$root" ]; then
    install -d "$root/etc/systemd/system/multi-user.target.wants"
    ln -sfn ../tocsin.service "$root/etc/systemd/system/multi-user.target.wants/tocsin.service"
    say "Installed under $root. Still to do there: useradd --system --user-group --no-create-home --home-dir /var/lib/tocsin --shell /usr/sbin/nologin tocsin && chown root:tocsin /etc/tocsin /etc/tocsin/tocsin.yaml"
    return
  fi
  if ! has_systemd; then
    say 'systemd is not running here, so nothing was started. Once it is, run: systemctl daemon-reload && systemctl enable --now tocsin'
    return
  fi
  systemctl daemon-reload
  systemctl enable --quiet tocsin.service
  # Returns when the service has said that it is ready, or has failed.
  systemctl restart tocsin.service || back_to_old
  say 'Tocsin is running.'
  # There until an operator exists, and at once: the service writes it before it says that it is ready.
  if [ -f "$state/setup-link" ]; then
    say 'The address at which you become its first administrator, for 24 hours (as root): cat /var/lib/tocsin/setup-link'
  fi
}

finish() {
  if ! check_config "$opt"; then
    if [ -d "$opt.old" ] && check_config "$opt.old" 2>/dev/null; then
      put_old_back
      fail "the new version does not accept this configuration; the previous one is back, and the new one is in $opt.failed"
    fi
    say "Complete $etc/tocsin.yaml (secrets: files in $etc/credentials, see docs/operating.md), then run as root: systemctl enable --now tocsin" >&2
    if has_systemd; then systemctl daemon-reload; fi
    # On a new machine that is to be expected; an operator who upgrades has to be told.
    if [ -d "$opt.old" ]; then
      rm -rf "$opt.old"
      exit 1
    fi
    return
  fi
  start
  rm -rf "$opt.old"
}

if [ "$uninstall" = yes ]; then
  remove
  exit 0
fi
if [ "$back" = yes ]; then
  go_back
  exit 0
fi
ask_provider
ask_public_url
make_user
make_directories
build_tree
spare_what_runs
back_up_before
put_in_place
write_config
write_command
finish
if grep -q '^  providers: .*outbox' "$etc/tocsin.yaml"; then
  say 'NO MESSAGE LEAVES THIS MACHINE with the provider outbox in /etc/tocsin/tocsin.yaml. Remove it there, restart, and set up another one in the console (Settings, Site setup).'
elif [ "$first_config" = yes ] && [ "$provider" = outbox ]; then
  say 'NO MESSAGE LEAVES THIS MACHINE until you set up a provider in the console (Settings, Site setup).'
fi
