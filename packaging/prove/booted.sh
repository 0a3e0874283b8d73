# The part of release/prove with systemd as process 1, which includes it.

# boot NAME: systemd starts in namespaces of its own, without the network of this machine, over a Debian of ours.
boot() {
  # Of its own, so that none is left behind.
  local cgroup=$work/cgroup/${work##*/}
  if [ ! -d "$cgroup" ]; then
    mkdir -p "$work/cgroup" && mount -t cgroup2 cgroup2 "$work/cgroup" && mkdir "$cgroup" || return 1
  fi
  # shellcheck disable=SC2016
  (echo 0 >"$cgroup/cgroup.procs" && exec unshare --mount --pid --fork --kill-child --cgroup --ipc --uts --net --propagation private bash -ec '
    cd "$0"
    mount --rbind . . && cd "$0"
    umount -q proc || true
    mount -t proc proc proc
    # Only in here, and to read: whoever empties this Debian must not empty the checkout.
    mkdir -p checkout && mount --bind "$1" checkout && mount -o remount,ro,bind checkout
    # What systemd sets there would be set for this machine.
    mount --bind proc/sys proc/sys && mount -o remount,ro,bind proc/sys
    # Its network is its own.
    mount --bind proc/sys/net proc/sys/net && mount -o remount,rw,bind proc/sys/net
    mount -t sysfs -o ro sysfs sys
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs tmpfs run
    mount -t tmpfs -o mode=0755 tmpfs dev
    # Of its own: a container gives its owner to what it is entered with.
    for device in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0; do mknod -m 0666 "dev/${device%%:*}" c $(echo "${device#*:}" | tr : " "); done
    mkdir dev/shm dev/pts
    mount -t tmpfs tmpfs dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
    ln -s pts/ptmx dev/ptmx
    ip link set lo up
    # Not chroot: a container of Podman would be entered at the root of this machine.
    pivot_root . mnt
    umount -l /mnt
    # systemd hands credentials over through a mount that it makes elsewhere.
    mount --make-rshared /
    exec env -i container=proof PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console --show-status=0
  ' "$work/debian-$1" "$PWD") >"$work/boot.log" 2>&1 </dev/null &
  booted=$!
  for _ in $(seq 100); do
    init=$(pgrep -P "$booted" | head -1)
    case "$(booted_inside systemctl is-system-running 2>/dev/null)" in running | degraded) return 0 ;; esac
    kill -0 "$booted" 2>/dev/null || break
    sleep 0.3
  done
  cat "$work/boot.log"
  return 1
}
booted_inside() { nsenter --target "$init" --mount --pid --cgroup --ipc --uts --net --root --wd env -i "${ROOTS_ENVIRONMENT[@]}" "$@"; }
shut_down() {
  kill -KILL "$init"
  wait "$booted" 2>/dev/null
  true
}

is() {
  local found
  found=$(booted_inside systemctl show --property "$1" --value tocsin.service)
  [ "$found" = "$2" ] || { echo "$1 is $found, not $2"; return 1; }
}
# Stopped, and not started again: failed where its process ended by itself just then.
is_stopped() { is ActiveState inactive || is ActiveState failed; }
the_process() { booted_inside systemctl show --property MainPID --value tocsin.service; }
# apt ARGUMENT…: its output in $work/apt. $caller: whose environment it has.
caller=()
apt() {
  booted_inside "${caller[@]}" apt-get -q -y "$@" >"$work/apt" 2>&1
  local status=$?
  cat "$work/apt"
  return "$status"
}
release_is() { [ "$(booted_inside dpkg-query -W -f '${Version} ${db:Status-Status}' tocsin)" = "$1" ]; }
# The service's answer, by its own certificate.
answers() { booted_inside curl -sSf http://127.0.0.1:8080/healthz; }

prove_booted() {
  local name=$1 suite=$2
  local command=(booted_inside tocsin)
  if ! boot "$name" >"$work/output" 2>&1; then
    skip "$suite: with systemd" "it does not start here: $(tail -1 "$work/output")"
    return
  fi
  # There is no network but the repository, whose newest version is the one to be upgraded from.
  rm -f "$work"/repository/pool/*+*
  mv "$work/debian-$name/etc/apt/sources.list" "$work/"
  reach=(booted_inside) http=http://127.0.0.1:8080
  step "$suite: systemd: installed, it runs and is enabled" runs_at_once
  step "$suite: systemd: an SOS reaches the outbox" press "${command[@]}"
  step "$suite: systemd: an upgrade restarts it, the incident is open still" restarts
  step "$suite: systemd: a version that does not start fails, the two commands go back" goes_back
  step "$suite: systemd: one that has changed the data, too" goes_back_with_restore
  step "$suite: systemd: one that takes longer than 60 s is completed later" completes_later
  step "$suite: systemd: stopped, disabled and masked stay so" leaves_stopped
  step "$suite: systemd: policy-rc.d counts" obeys_policy
  step "$suite: systemd: a full disk stops the upgrade, the service runs on" full_disk
  step "$suite: systemd: a disk that is full while it unpacks, the old version runs on" full_while_unpacking
  step "$suite: systemd: no downgrade to a version that cannot read the data; the command that it says goes back" refuses_downgrade
  step "$suite: systemd: a running service without a database where the configuration has it" strange_data_dir
  step "$suite: systemd: an operator's file, owner and drop-in stay" keeps_what_is_changed
  step "$suite: systemd: removed, installed again, it runs" removed_and_back
  step "$suite: systemd: purged with the data elsewhere" purged_elsewhere
  step "$suite: systemd: masked before, the package installs" masked_before
  step "$suite: systemd: over install.sh, one that does not start goes back to it" over_installer "$name"
  step "$suite: systemd: install.sh rolls back what has not changed the data" installer_rolls_back "$name"
  step "$suite: systemd: install.sh says two commands otherwise, which go back" installer_goes_back "$name"
  reach=()
  shut_down
}

pool() { booted_inside apt-get update -q >/dev/null; }
runs_at_once() {
  version_of "$version" && pool && apt install "tocsin=$version" && is ActiveState active && is UnitFileState enabled && answers
}
restarts() {
  local before
  before=$(the_process)
  version_of "$version+1" && pool || return 1
  # Nothing of the caller's counts.
  caller=(env -u HOME TMPDIR=/nonexistent LANG=C LC_ALL=C NODE_OPTIONS=--no-such-option TOCSIN_DATA_DIR=/nonexistent)
  apt install "tocsin=$version+1"
  caller=()
  is ActiveState active && [ "$(the_process)" != "$before" ] &&
    still_open booted_inside tocsin
}
# The lines that the package says, run word for word. $1: the first or the second.
the_command() { sed -n '/^To go back, run these two commands:/,$p' "$work/apt" | sed -n "$(($1 + 1))s/^  //p"; }
run_the_command() {
  local command
  command=$(the_command "$1")
  echo "\$ $command"
  [ -n "$command" ] && booted_inside sh -c "${command/apt-get /apt-get -q -y }" >"$work/said" 2>&1
  local status=$?
  cat "$work/said"
  return "$status"
}
goes_back() {
  version_of "$version+2" does_not_start && pool || return 1
  if apt install "tocsin=$version+2"; then return 1; fi
  release_is "$version+2 half-configured" && grep -q 'did not become ready' "$work/apt" && grep -q -- '--what-is-lost' "$work/apt" || return 1
  cp "$work/apt" "$work/kept"
  run_the_command 1 && release_is "$version+1 installed" && is ActiveState active && still_open booted_inside tocsin || return 1
  grep -q 'no backup has to be restored' "$work/said" || return 1
  # The second does no harm.
  cp "$work/kept" "$work/apt"
  run_the_command 2 && is ActiveState active && still_open booted_inside tocsin
}
does_not_start() { instead_of_start 'exit 1'; }
starts_slowly() { instead_of_start 'sleep 75'; }
# As after a migration: the schema of the data is newer than that of the version before.
changes_the_data() {
  instead_of_start 'printf "%s" "const { DatabaseSync } = require(\"node:sqlite\");
    new DatabaseSync(\"/var/lib/tocsin/tocsin.db\").exec(\"PRAGMA user_version = 999\")" | "$here/node" -
  exit 1'
}
goes_back_with_restore() {
  version_of "$version+3" changes_the_data && pool || return 1
  if apt install "tocsin=$version+3"; then return 1; fi
  cp "$work/apt" "$work/kept"
  run_the_command 1 && release_is "$version+1 installed" && is_stopped && grep -q 'THE SERVICE IS STOPPED' "$work/said" || return 1
  run_the_command 2 && is ActiveState active && still_open booted_inside tocsin && answers
}
completes_later() {
  local process
  version_of "$version+4" starts_slowly && pool || return 1
  if apt install "tocsin=$version+4"; then return 1; fi
  grep -q 'dpkg --configure -a' "$work/apt" && is ActiveState activating || return 1
  for _ in $(seq 60); do
    if is ActiveState active; then break; fi
    sleep 0.5
  done
  process=$(the_process)
  booted_inside dpkg --configure -a && release_is "$version+4 installed" && [ "$(the_process)" = "$process" ] && still_open booted_inside tocsin
}
# again STATE: the same version once more, and the service is in that state.
again() { apt install --reinstall tocsin && is ActiveState "$1"; }
leaves_stopped() {
  version_of "$version+5" && pool && apt install "tocsin=$version+5" || return 1
  booted_inside systemctl stop tocsin && again inactive && is UnitFileState enabled || return 1
  booted_inside systemctl disable tocsin && again inactive && is UnitFileState disabled || return 1
  # Disabled and started by hand: it is restarted.
  booted_inside systemctl start tocsin && again active && is UnitFileState disabled || return 1
  booted_inside systemctl stop tocsin && booted_inside systemctl mask tocsin && again inactive && is UnitFileState masked || return 1
  booted_inside systemctl unmask tocsin && booted_inside systemctl enable --now tocsin && is ActiveState active
}
obeys_policy() {
  local process
  process=$(the_process)
  booted_inside sh -c 'printf "#!/bin/sh\nexit 101\n" >/usr/sbin/policy-rc.d; chmod 0755 /usr/sbin/policy-rc.d'
  again active && [ "$(the_process)" = "$process" ]
  local status=$?
  booted_inside rm /usr/sbin/policy-rc.d
  return "$status"
}
full_disk() {
  local process
  process=$(the_process)
  booted_inside mkdir -p /var/backups/tocsin-upgrade &&
    booted_inside mount -t tmpfs -o size=64k tmpfs /var/backups/tocsin-upgrade || return 1
  fails_with 'make room in /var/backups' apt install --reinstall tocsin
  local status=$?
  booted_inside umount /var/backups/tocsin-upgrade
  [ "$status" = 0 ] && [ "$(the_process)" = "$process" ] && release_is "$version+5 installed"
}
full_while_unpacking() {
  local process small=/srv/small home=/usr/lib/tocsin
  process=$(the_process)
  # Room for what is there and a little more, not for a second Node.
  booted_inside sh -ec 'mkdir -p "$0"; mount -t tmpfs -o size=$(($(du -sk "$1" | cut -f1) + 40000))k tmpfs "$0"; cp -a "$1/." "$0/"; mount --bind "$0" "$1"' "$small" "$home" || return 1
  fails_with 'No space left on device' apt install --reinstall tocsin && [ "$(the_process)" = "$process" ] && release_is "$version+5 installed" &&
    booted_inside dpkg --verify tocsin && answers && still_open booted_inside tocsin
  local status=$?
  booted_inside umount "$home" "$small"
  [ "$status" = 0 ] && again active
}
# A version whose data no earlier one can read.
adds_a_migration() { sed -i 's/},"postgres":/,"9999-later.sql":"CREATE TABLE later (a TEXT)"&/' usr/lib/tocsin/js/migrations.json; }
refuses_downgrade() {
  local process command
  version_of "$version+6" adds_a_migration && pool && apt install "tocsin=$version+6" && is ActiveState active || return 1
  process=$(the_process)
  fails_with 'downgraded' apt install "tocsin=$version+5" &&
    fails_with "$version.5 cannot read it. Nothing was changed" apt install --allow-downgrades "tocsin=$version+5" || return 1
  [ "$(the_process)" = "$process" ] && release_is "$version+6 installed" && answers || return 1
  command=$(sed -n 's/^  \(systemctl stop .*\)/\1/p' "$work/apt")
  echo "\$ $command"
  [ -n "$command" ] && booted_inside sh -c "${command/apt-get /apt-get -q -y }" || return 1
  release_is "$version+5 installed" && is ActiveState active && still_open booted_inside tocsin || return 1
  rm "$work/repository/pool/tocsin_${version}+6_$machine.deb" && sign_again && pool
}
strange_data_dir() {
  # Known to the service only: a drop-in sets it.
  booted_inside sed -i 's|^dataDir: .*|dataDir: /srv/nothing|' /etc/tocsin/tocsin.yaml
  fails_with 'there is no database' apt install --reinstall tocsin
  local status=$?
  booted_inside sed -i 's|^dataDir: .*|dataDir: /var/lib/tocsin|' /etc/tocsin/tocsin.yaml
  return "$status"
}
keeps_what_is_changed() {
  booted_inside sh -ec 'echo "# mine" >>/etc/tocsin/tocsin.yaml; groupadd -f keepers; chown root:tocsin /etc/tocsin/tocsin.yaml
    chmod 0660 /etc/tocsin/tocsin.yaml; chmod 0710 /etc/tocsin; mkdir -p /etc/systemd/system/tocsin.service.d
    printf "[Service]\nCPUWeight=500\n" >/etc/systemd/system/tocsin.service.d/mine.conf' || return 1
  again active && booted_inside grep -qx '# mine' /etc/tocsin/tocsin.yaml && is CPUWeight 500 &&
    [ "$(booted_inside stat --format '%a' /etc/tocsin/tocsin.yaml)" = 660 ] && [ "$(booted_inside stat --format '%a' /etc/tocsin)" = 710 ] &&
    booted_inside rm -r /etc/systemd/system/tocsin.service.d && booted_inside chmod 0640 /etc/tocsin/tocsin.yaml
}
removed_and_back() {
  apt remove tocsin && is ActiveState inactive && apt install tocsin && is ActiveState active && is UnitFileState enabled &&
    still_open booted_inside tocsin
}
purged_elsewhere() {
  booted_inside sh -ec 'systemctl stop tocsin; mv /var/lib/tocsin /srv/tocsin; sed -i "s|^dataDir: .*|dataDir: /srv/tocsin|" /etc/tocsin/tocsin.yaml
    mkdir -p /etc/systemd/system/tocsin.service.d
    printf "[Service]\nReadWritePaths=/srv/tocsin\n" >/etc/systemd/system/tocsin.service.d/mine.conf
    systemctl daemon-reload; systemctl start tocsin' && again active && grep -q 'Backup before the upgrade' "$work/apt" &&
    apt purge tocsin && booted_inside test -e /srv/tocsin/tocsin.db && booted_inside getent passwd tocsin && grep -q 'The data in /srv/tocsin stays' "$work/apt" &&
    booted_inside sh -c 'rm -r /srv/tocsin /etc/systemd/system/tocsin.service.d; userdel tocsin; systemctl daemon-reload'
}
masked_before() {
  booted_inside systemctl mask tocsin && apt install tocsin && is ActiveState inactive && booted_inside systemctl unmask tocsin &&
    apt purge tocsin
}
over_installer() {
  old_site "$1" >/dev/null && booted_inside sh -ec 'systemctl daemon-reload; systemctl start tocsin' && press booted_inside /usr/local/bin/tocsin || return 1
  if apt install "tocsin=$version+3"; then return 1; fi
  run_the_command 1 && booted_inside test -x /opt/tocsin/bin/tocsin && run_the_command 2 && is ActiveState active &&
    still_open booted_inside /usr/local/bin/tocsin || return 1
  # A purge now leaves the site alone.
  apt purge tocsin && booted_inside test -e /etc/tocsin/tocsin.yaml && is ActiveState active && is UnitFileState enabled || return 1
  apt install "tocsin=$version+5" && is ActiveState active && is UnitFileState enabled && booted_inside test ! -e /opt/tocsin &&
    booted_inside test ! -e /opt/tocsin.of-install.sh && still_open booted_inside tocsin
}

# installer NAME CHANGE: this checkout with that change installs itself. Its output in $work/apt.
installer() {
  local place=$work/debian-$1/changed
  rm -rf "$place" && mkdir "$place" && cp -R bin build config console docs sdk src systemd webapp package.json package-lock.json README.md CHANGELOG.md "$place/" &&
    ln -s /checkout/node_modules "$place/node_modules" && (cd "$place" && "$2") &&
    booted_inside /changed/systemd/install.sh --provider outbox --copy-modules >"$work/apt" 2>&1
  local status=$?
  cat "$work/apt"
  return "$status"
}
installer_rolls_back() {
  apt purge tocsin && installer "$1" true && is ActiveState active && press booted_inside /usr/local/bin/tocsin || return 1
  fails_with 'was rolled back' installer "$1" does_not_start || return 1
  is ActiveState active && still_open booted_inside /usr/local/bin/tocsin && booted_inside sh -c 'ls /var/backups/tocsin-upgrade/before-*.db'
}
installer_goes_back() {
  if installer "$1" changes_the_data; then return 1; fi
  cp "$work/apt" "$work/kept"
  run_the_command 1 && grep -q 'THE SERVICE IS STOPPED' "$work/said" && is_stopped && run_the_command 2 && is ActiveState active &&
    still_open booted_inside /usr/local/bin/tocsin && booted_inside /changed/systemd/install.sh --uninstall --purge
}
