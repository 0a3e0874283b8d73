# shellcheck shell=bash
# Part of release/prove: the image in Docker and Podman, with the files that a release has for them, in a Debian 13 of its own: a mount name
# space that has it as its root, because Docker unpacks nothing below chroot.

docker=''
engine_debian() {
  timeout --foreground 400 mmdebstrap --variant=apt --dpkgopt=force-unsafe-io --include=aardvark-dns,ca-certificates,containerd,crun,docker-cli,docker-compose,docker.io,gammu-smsd,iptables,netavark,nftables,podman,systemd trixie "$work/debian-engine"
}
enter_engine() {
  unshare --mount --net --propagation private sh -euc '
    cd "$1"
    mount --bind . .
    cd "$1"
    mount -t proc proc proc
    mount --rbind /dev dev
    mount --rbind /sys sys
    mkdir -p site
    ip link set lo up
    pivot_root . mnt
    umount -l /mnt
    mount -t tmpfs tmpfs /run
    touch /run/entered
    exec sleep 1800
  ' sh "$work/debian-engine" &
  keeper=$!
  for _ in $(seq 50); do
    in_engine test -e /run/entered 2>/dev/null && return 0
    sleep 0.1
  done
  return 1
}
in_engine() { nsenter --target "$keeper" --mount --net --root --wd env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PODMAN_IGNORE_CGROUPSV1_WARNING=1 "$@"; }
start_docker() {
  in_engine dockerd --storage-driver=vfs >"$work/docker.log" 2>&1 &
  docker=$!
  for _ in $(seq 100); do
    in_engine docker info >/dev/null 2>&1 && return 0
    kill -0 "$docker" 2>/dev/null || break
    sleep 0.2
  done
  tail -5 "$work/docker.log"
  return 1
}
# A machine may itself be denied what raises limits: CAP_SYS_RESOURCE.
may_raise_limits() { awk '/^CapEff/ { exit !(substr($2, 9, 2) ~ /[13579bdf]$/) }' /proc/self/status; }
# What docs/containers.md tells an operator to do.
lay_site() {
  local site=$work/debian-engine/site
  cp release/compose.yaml release/use-image "$image" "$site/" && cp release/tocsin.example.yaml "$site/tocsin.yaml" &&
    install -d -o 65532 -g 65532 -m 0700 "$site/secrets" &&
    install -o 65532 -m 0400 /dev/stdin "$site/secrets/TOCSIN_METRICS_TOKEN" <<<'a-long-random-token' || return 1
  # Any free ports.
  sed -i 's/"8443:8443"/"127.0.0.1::8443"/; s/"8883:8883"/"127.0.0.1::8883"/' "$site/compose.yaml"
  may_raise_limits || sed -i '/ulimits:/d; /oom_score_adj:/d' "$site/compose.yaml"
}
compose_is_valid() {
  for profiles in '' postgres modem postgres,modem; do
    in_engine env "COMPOSE_PROFILES=$profiles" docker compose -f /site/compose.yaml config --quiet || return 1
  done
}
use_image() { in_engine timeout 200 /site/use-image "/site/$1"; }
in_docker() { in_engine docker exec tocsin tocsin "$@"; }
health_of() { in_engine docker inspect --format '{{.State.Health.Status}}' tocsin; }
gets_healthy() {
  for _ in $(seq 450); do
    [ "$(health_of)" != healthy ] || return 0
    sleep 0.1
  done
  in_engine docker inspect --format '{{json .State.Health}}' tocsin
  return 1
}
press_in_docker() {
  http=https://127.0.0.1:$(in_engine docker port tocsin 8443 | sed 's/.*://')
  reach=(nsenter --target "$keeper" --net env "CURL_HOME=$work/curl")
  mkdir -p "$work/curl" && echo insecure >"$work/curl/.curlrc" && press in_docker
  local status=$?
  reach=()
  return "$status"
}
# Another version, which differs in its name; a broken one never gets ready. $2…: what docker commit changes.
next_image() {
  local version=$1
  shift
  in_engine docker commit "$@" tocsin "localhost/tocsin:$version" && in_engine docker save -o "/site/$version.tar" "localhost/tocsin:$version"
}
upgrade_in_docker() {
  next_image 0.2.9 && use_image 0.2.9.tar && still_open in_docker && ls "$work"/debian-engine/var/lib/docker/volumes/tocsin/_data/before-upgrade-*.db
}
refuses_in_docker() {
  in_docker app create --name Later >/dev/null && next_image 0.3.0 --change 'ENV TOCSIN_HTTP_PORT=broken' || return 1
  if use_image 0.3.0.tar >"$work/said" 2>&1; then return 1; fi
  cat "$work/said"
  # The two commands that it says, run as they are.
  sed -n 's/^To go back, run these two commands: //p; s/^ \{20,\}//p' "$work/said" >"$work/debian-engine/site/back"
  [ "$(grep -c . "$work/debian-engine/site/back")" = 2 ] && in_engine sh -e /site/back || return 1
  for _ in $(seq 100); do
    in_docker health >/dev/null 2>&1 && break
    sleep 0.2
  done
  still_open in_docker && in_docker app list | grep -q Later
}
docker_stops() {
  local began=$SECONDS
  in_engine docker compose -f /site/compose.yaml stop tocsin && [ "$(in_engine docker inspect --format '{{.State.ExitCode}}' tocsin)" = 0 ] &&
    [ $((SECONDS - began)) -le 10 ]
}
# gammu-smsd reads the configuration that Compose gives it, with gammu's own stand-in for a phone.
smsd_reads_its_configuration() {
  local place=$work/debian-engine/tmp/smsd
  mkdir -p "$place"/{phone,inbox,outbox,sent,error}
  in_engine env COMPOSE_PROFILES=modem docker compose -f /site/compose.yaml config --format json |
    sed -n 's/.*"content": *"\(\[gammu\].*\)",\{0,1\}$/\1/p' | xargs -0 printf '%b' |
    sed "s|/var/spool/tocsin-sms|/tmp/smsd|; s|/dev/modem|/tmp/smsd/phone|; s|at115200|none|; s|^\[gammu\]|[gammu]\nmodel = dummy|" >"$place/smsdrc"
  grep -q '^OutboxPath' "$place/smsdrc" && printf 'hello' >"$place/outbox/OUT+436641111111.txt" || return 1
  in_engine timeout 15 gammu-smsd --config /tmp/smsd/smsdrc --max-failures 2 >"$place/log" 2>&1 &
  local daemon=$!
  for _ in $(seq 120); do
    if ls "$place"/sent/OUT* >/dev/null 2>&1; then
      kill "$daemon"
      return 0
    fi
    sleep 0.1
  done
  tail -20 "$place/log"
  return 1
}
quadlet_is_valid() {
  local place=$work/debian-engine
  install -D -m 0644 release/tocsin.container "$place/etc/containers/systemd/tocsin.container" && mkdir -p "$place/tmp/units" &&
    # Also what stands in comments.
    sed -i 's/^#\(Secret\|Volume\|PodmanArgs\)=/\1=/' "$place/etc/containers/systemd/tocsin.container" &&
    in_engine /usr/lib/systemd/system-generators/podman-system-generator /tmp/units /tmp/units /tmp/units &&
    # use-image would take the site for one of Podman.
    rm "$place/etc/containers/systemd/tocsin.container" && in_engine systemd-analyze verify /tmp/units/tocsin.service && grep -q -- '--read-only.*--secret.*--health-cmd "CMD tocsin health"' "$place/tmp/units/tocsin.service"
}
podman_loads() { in_engine podman --storage-driver vfs load --input "/site/$(basename "$image")" | grep -q "localhost/tocsin:$version"; }

stop_engine() {
  # By its own number: $docker is that of the shell around it.
  in_engine sh -c 'docker ps --all --quiet | xargs -r docker rm --force; [ ! -e /run/docker.pid ] || kill "$(cat /run/docker.pid)"' >/dev/null 2>&1
  for _ in $(seq 100); do
    [ -n "$docker" ] && kill -0 "$docker" 2>/dev/null || break
    sleep 0.2
  done
  kill "$keeper" 2>/dev/null && wait "$keeper" 2>/dev/null
  true
}
prove_containers() {
  step 'containers: a Debian with Docker and Podman' engine_debian || return
  if ! enter_engine 2>"$work/output"; then
    skip containers "this machine allows no name spaces of its own: $(tail -1 "$work/output")"
    return
  fi
  step 'containers: the files of the release' lay_site || return
  step 'containers: the Quadlet unit is valid' quadlet_is_valid
  step 'containers: Podman loads the image' podman_loads
  if ! start_docker >"$work/output" 2>&1; then
    skip 'containers: Docker' "its daemon does not run here: $(tail -1 "$work/output")"
    return
  fi
  step 'containers: compose.yaml is valid with each profile' compose_is_valid
  step 'containers: smsd reads the configuration of its profile' smsd_reads_its_configuration
  step 'containers: use-image starts a site' use_image "$(basename "$image")" || return
  step 'containers: Docker finds it healthy' gets_healthy
  step 'containers: an SOS reaches the outbox' press_in_docker
  step 'containers: an upgrade makes a backup, the incident is open still' upgrade_in_docker
  step 'containers: one that fails says the two commands, which go back' refuses_in_docker
  step 'containers: Docker stops it within 10 s' docker_stops
  prove_profiles
  stop_engine
  prove_quadlet
  rm -rf --one-file-system "$work/debian-engine"
}
