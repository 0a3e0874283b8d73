# The Debian part of release/prove, which includes it: packages in Debians of their own, first without systemd as in a
# container, then with systemd as process 1 in namespaces of its own, where the machine lets root do that.

lint() { lintian --fail-on error,warning --tag-display-limit 0 release/*.deb; }

# Of the package for the other processor nothing is run: unpacked, it has the same files, and its programs are for that
# processor. https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html: e_machine, 62 x86-64, 183 AArch64.
other_processor() {
  local name file machines
  for name in amd64:62 arm64:183; do
    mkdir "$work/${name%:*}" && dpkg-deb -x "release/tocsin_${version}_${name%:*}.deb" "$work/${name%:*}" || return 1
    machines=$(find "$work/${name%:*}" -type f -size +16k | while read -r file; do
      if [ "$(head -c 4 "$file" | od -An -c | tr -d ' ')" = '177ELF' ]; then od -An -tu2 -j18 -N2 "$file"; fi
    done | sort | uniq -c)
    echo "${name%:*}: $machines"
    [ "$(tr -s ' ' <<<"$machines")" = " 2 ${name#*:}" ] || return 1
  done
  diff <(cd "$work/amd64" && find . | sed -E 's/(node-linux-)x64|linux-x64(\.node)/\1\2/' | sort) <(cd "$work/arm64" && find . | sed -E 's/(node-linux-)arm64|linux-arm64(\.node)/\1\2/' | sort) || return 1
  rm -rf "$work/amd64" "$work/arm64"
}

# --- A Debian: debian NAME SUITE makes it, inside NAME COMMAND… runs a command there.

debian() {
  local included=systemd,ca-certificates,curl,procps,passwd,iproute2 new=$work/$2.tar base
  base=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tocsin-proof/$2-$machine.tar
  # For a week, where a machine keeps it. Without unsafe-io, dpkg waits for the disk after every file.
  if [ -z "$(find "$base" -mtime -7 2>/dev/null)" ]; then
    timeout --foreground 900 mmdebstrap --variant=apt --dpkgopt=force-unsafe-io "--include=$included" "$2" "$new" || return 1
    if mkdir -p "${base%/*}" && cp "$new" "$base-${work##*/}" && mv "$base-${work##*/}" "$base"; then rm "$new"; else base=$new; fi
  fi
  mkdir "$work/debian-$1" && tar -xf "$base" -C "$work/debian-$1" --numeric-owner
}
ROOTS_ENVIRONMENT=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
inside() {
  local place=$work/debian-$1
  shift
  chroot "$place" env -i "${ROOTS_ENVIRONMENT[@]}" "$@"
}
open_debian() {
  local place=$work/debian-$1
  # Of the Debian before.
  if ls "$work"/repository/pool/*+* >/dev/null 2>&1; then rm "$work"/repository/pool/*+* && sign_again || return 1; fi
  mount -t proc proc "$place/proc" && mkdir -p "$place/repository" && mount --bind "$work/repository" "$place/repository" &&
    echo 'Dpkg::Use-Pty "0";' >"$place/etc/apt/apt.conf.d/00proof"
}
close_debian() {
  umount "$work/debian-$1/repository" "$work/debian-$1/proc"
  rm -rf --one-file-system "$work/debian-$1"
}
# The commands of docs/debian.md, from a stick; the last installs.
add_repository() {
  sed -n '/^```sh repository$/,/^```$/p' docs/debian.md | sed '1d;$d' | sed '$d' >"$work/debian-$1/root/commands" &&
    inside "$1" sh -ec 'sudo() { "$@"; }; . /root/commands'
}
install_package() { inside "$1" apt-get install -q -y tocsin; }
# The same from a web server.
over_http() {
  local list=$work/debian-$1/etc/apt/sources.list.d/tocsin.list port
  bin/node -e 'require("http").createServer((asked, answer) => {
      const file = require("fs").createReadStream(process.argv[1] + decodeURIComponent(asked.url))
      file.on("error", () => answer.writeHead(404).end()).pipe(answer)
    }).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$work/repository" >"$work/port" &
  local server=$!
  for _ in $(seq 600); do [ -s "$work/port" ] && break; sleep 0.1; done
  port=$(cat "$work/port")
  sed -i "s|file:/repository|http://127.0.0.1:$port|" "$list" && inside "$1" apt-get update -q -o APT::Update::Error-Mode=any &&
    inside "$1" apt-get install -q -y --download-only tocsin
  local status=$?
  sed -i "s|http://127.0.0.1:$port|file:/repository|" "$list"
  kill "$server"
  inside "$1" apt-get update -q
  return "$status"
}

# The unit's own command and user in a Debian of ours, without systemd. $2: the unit.
start_in() {
  local place=$work/debian-$1 command
  command=$(sed -n 's/^ExecStart=//p' "$place$2")
  chroot "$place" setpriv --reuid tocsin --regid tocsin --clear-groups env -i PATH=/usr/bin:/bin HOME=/var/lib/tocsin NODE_ENV=production \
    "${PORTS[@]}" sh -c "cd /var/lib/tocsin && exec $command" >"$work/service.log" 2>&1 &
  service=$!
  until_ready
}

# version_of NUMBER [CHANGE]: puts a further version into the repository, which differs in its number and in what the
# function CHANGE does in its tree.
version_of() {
  local next=$1 place=$work/next
  rm -rf "$place"
  dpkg-deb -R "$deb" "$place" &&
    sed -i "s/^Version: .*/Version: $next/" "$place/DEBIAN/control" &&
    sed -i "s/$version/$next/g" "$place/DEBIAN/preinst" "$place/DEBIAN/postinst" &&
    (cd "$place" && "${2-true}") &&
    dpkg-deb -Zzstd -z1 -b "$place" "$work/repository/pool/tocsin_${next}_$machine.deb" >/dev/null &&
    rm -rf "$place" && sign_again
}
sign_again() {
  local suite=$work/repository/dists/stable
  (cd "$work/repository" && dpkg-scanpackages --multiversion --arch "$machine" pool 2>/dev/null) >"$suite/main/binary-$machine/Packages" &&
    gzip -kf "$suite/main/binary-$machine/Packages" && rm -f "$suite"/InRelease "$suite"/Release* &&
    # As the release has them: apt takes a change for an attack.
    apt-ftparchive -oAPT::FTPArchive::Release::{Suite=stable,Codename=stable,Origin=Tocsin,Label=Tocsin} release "$suite" >"$work/Release" && mv "$work/Release" "$suite/" &&
    gpg --homedir "$work/gpg" --batch --yes --output "$suite/InRelease" --clear-sign "$suite/Release"
}
# instead_of_start COMMANDS: for CHANGE, in a package's tree or a checkout. What `tocsin start` does in that version.
instead_of_start() {
  local program=usr/lib/tocsin/bin/tocsin
  [ -e "$program" ] || program=bin/tocsin
  printf '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nif [ "$1" = start ]; then\n%s\nfi\nexec "$here/node" "$here/tocsin.js" "$@"\n' "$1" >"$program"
}

# --- Without systemd.

prove_debian() {
  local name=$1 suite=$2
  local command=(inside "$name" tocsin) unit=/usr/lib/systemd/system/tocsin.service
  joined "debian-$suite" "$suite: a Debian of its own" || return
  step "$suite: the repository is mounted" open_debian "$name" || return
  step "$suite: apt takes the repository" add_repository "$name" || return
  [ "$short" = yes ] || step "$suite: apt refuses what is not signed, damaged or too old" refuses_repositories "$name"
  [ "$short" = yes ] || step "$suite: apt fetches it from a web server" over_http "$name"
  step "$suite: apt-get install tocsin" install_package "$name" || return
  step "$suite: what it takes" takes "$name"
  step "$suite: unattended upgrades leave it out" no_unattended "$name"
  step "$suite: the unit is valid" inside "$name" systemd-analyze verify "$unit"
  [ "$short" = yes ] || step "$suite: demo" inside "$name" tocsin demo
  step "$suite: it starts with the unit's command and user" start_in "$name" "$unit" || return
  step "$suite: an SOS reaches the outbox" press "${command[@]}"
  [ "$short" = yes ] || step "$suite: a damaged file is refused, the version in place stays" refuses_a_damaged_file "$name"
  step "$suite: an upgrade while the incident is open makes a backup" upgrade "$name"
  stop_service
  step "$suite: the new version starts" start_in "$name" "$unit"
  step "$suite: the incident is open still" still_open "${command[@]}"
  if [ "$short" = yes ]; then
    stop_service
    close_debian "$name"
    return
  fi
  step "$suite: an upgrade stops where no backup can be made" refuses_without_backup "$name"
  step "$suite: with PostgreSQL it upgrades without a backup and says so" postgres_site "$name"
  stop_service
  step "$suite: removed, configuration and data stay" removes "$name"
  step "$suite: installed again, the incident is open still" comes_back "$name"
  step "$suite: purged" purges "$name"
  if [ "$short" = no ]; then
    step "$suite: from a site of install.sh with an open incident" from_installer "$name"
    inside "$name" apt-get purge -q -y tocsin >/dev/null 2>&1
    prove_booted "$name" "$suite"
  fi
  close_debian "$name"
}

# At most 60 MB to fetch and 160 MB installed.
takes() {
  local fetched installed
  fetched=$(stat --format %s "$deb") installed=$(($(dpkg-deb -f "$deb" Installed-Size) * 1024))
  echo "$fetched to fetch, $installed installed"
  [ "$fetched" -le 60000000 ] && [ "$installed" -le 160000000 ]
}
no_unattended() { inside "$1" apt-config dump Unattended-Upgrade::Package-Blacklist | grep -F '"^tocsin$"'; }
# fails_with TEXT COMMAND…: the command fails and says so.
fails_with() {
  local text=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "$output"
    echo 'it did not fail'
    return 1
  fi
  echo "$output"
  grep -qE "$text" <<<"$output"
}
upgrade() {
  version_of "$version+proof1" && inside "$1" apt-get update -q && install_package "$1" &&
    ls "$work/debian-$1"/var/backups/tocsin-upgrade/before-*.db
}
refuses_without_backup() {
  local place=$work/debian-$1 before
  version_of "$version+proof2" && inside "$1" apt-get update -q || return 1
  before=$(inside "$1" dpkg-query -W -f '${Version}' tocsin)
  mv "$place/var/backups/tocsin-upgrade" "$place/var/backups/tocsin-upgrade.aside"
  echo 'in the way' >"$place/var/backups/tocsin-upgrade"
  fails_with 'No backup could be made' install_package "$1" || return 1
  [ "$(inside "$1" dpkg-query -W -f '${Version} ${db:Status-Status}' tocsin)" = "$before installed" ] || return 1
  # The way on that it names.
  touch "$place/etc/tocsin/upgrade-without-backup"
  install_package "$1" && [ ! -e "$place/etc/tocsin/upgrade-without-backup" ] || return 1
  rm -f "$place/var/backups/tocsin-upgrade" && mv "$place/var/backups/tocsin-upgrade.aside" "$place/var/backups/tocsin-upgrade"
}
postgres_site() {
  local place=$work/debian-$1 said
  cp -p "$place/etc/tocsin/tocsin.yaml" "$work/yaml"
  printf 'publicUrl: https://sos.example.org\nstore:\n  url: postgresql://nobody@127.0.0.1:1/none\n' >>"$place/etc/tocsin/tocsin.yaml"
  said=$(inside "$1" apt-get install -q -y --reinstall tocsin 2>&1)
  local status=$?
  echo "$said"
  cp -p "$work/yaml" "$place/etc/tocsin/tocsin.yaml"
  [ "$status" = 0 ] && grep -q 'The data is in PostgreSQL' <<<"$said" && [ ! -e "$place/var/backups/tocsin-upgrade/last" ]
}
removes() {
  inside "$1" apt-get remove -q -y tocsin && [ ! -e "$work/debian-$1/usr/lib/tocsin" ] &&
    [ -e "$work/debian-$1/etc/tocsin/tocsin.yaml" ] && [ -e "$work/debian-$1/var/lib/tocsin/tocsin.db" ]
}
comes_back() {
  local place=$work/debian-$1
  rm -f "$place"/var/backups/tocsin-upgrade/before-*
  install_package "$1" && ls "$place"/var/backups/tocsin-upgrade/before-*.db &&
    start_in "$1" /usr/lib/systemd/system/tocsin.service && still_open inside "$1" tocsin && stop_service
}
purges() {
  inside "$1" apt-get purge -q -y tocsin || return 1
  local left
  left=$(find "$work/debian-$1" -xdev -path '*/proc' -prune -o -path '*/repository' -prune -o -path '*/apt/*' -prune -o -name '*tocsin*' -print)
  [ -z "$left" ] || { echo "left: $left"; return 1; }
  ! inside "$1" getent passwd tocsin
}

# The last commit of 0.1.0, as its own installer puts it in place. Sets $old.
old_release() {
  local commit
  old=$work/old
  [ ! -d "$old" ] || return 0
  commit=$(git log --format=%H -S'"version": "0.1.0"' -- package.json | head -1)
  if [ -z "$commit" ] || ! git cat-file -e "$commit^" 2>/dev/null; then
    echo 'the history of this checkout does not reach back to 0.1.0'
    return 1
  fi
  mkdir "$old" && git archive "$commit^" | tar -x -C "$old" && (cd "$old" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
}
old_site() {
  old_release && (cd "$old" && systemd/install.sh --root "$work/debian-$1" --provider outbox --copy-modules) &&
    inside "$1" useradd --system --user-group --no-create-home --home-dir /var/lib/tocsin --shell /usr/sbin/nologin tocsin &&
    inside "$1" chown -R tocsin:tocsin /var/lib/tocsin && inside "$1" chown root:tocsin /etc/tocsin /etc/tocsin/tocsin.yaml
}
from_installer() {
  local place=$work/debian-$1
  old_site "$1" && start_in "$1" /etc/systemd/system/tocsin.service && press inside "$1" /usr/local/bin/tocsin || return 1
  cp "$place/etc/tocsin/tocsin.yaml" "$work/yaml"
  install_package "$1" || return 1
  stop_service
  cmp "$work/yaml" "$place/etc/tocsin/tocsin.yaml" && [ ! -e "$place/etc/systemd/system/tocsin.service" ] &&
    ls "$place"/var/backups/tocsin-upgrade/before-*.db && start_in "$1" /usr/lib/systemd/system/tocsin.service &&
    still_open inside "$1" tocsin && stop_service
}
