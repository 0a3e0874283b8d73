# shellcheck shell=bash
# Part of release/prove: the image, without an engine for containers. Its root is read-only and its process the first one of its name space,
# as in an engine.

buildah_here() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
# in_image VOLUME COMMAND…, as the image's user
in_image() {
  local volume=$1
  shift
  timeout --foreground 120 buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs run --isolation chroot \
    --volume "$volume:/var/lib/tocsin" --volume "$work/secrets:/run/secrets:ro" "$container" -- "$@"
}
open_image() {
  container=$(buildah_here from "oci-archive:$image") || return 1
  image_root=$(buildah_here mount "$container") || return 1
  mapfile -t image_env < <(buildah_here inspect --type container --format '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' "$container" | sed '/^$/d')
  # A volume of the image's own would hide ours; Podman and Docker put theirs in its place.
  buildah_here config --volume /var/lib/tocsin- "$container"
  # Its user has to reach what root has unpacked.
  chmod 0711 "$work/storage" "$work/storage/vfs" "$work/storage/vfs/dir"
  install -d -o 65532 -g 65532 -m 0700 "$work/volume"
  install -d -m 0755 "$work/secrets"
  printf 'a-long-random-token' >"$work/secrets/TOCSIN_METRICS_TOKEN"
  chmod 0644 "$work/secrets/TOCSIN_METRICS_TOKEN"
}
# What buildah puts into the configuration, and what this release adds to it.
describes_itself() {
  local config
  config=$(tar -xOf "$image" ./manifest.json | sed 's/.*"Config":"\([^"]*\)".*/\1/')
  tar -xOf "$image" "./$config" | grep -q '"Healthcheck":{"Test":\["CMD","tocsin","health"\]' && tar -xOf "$image" "./$config" | grep -q '"User":"65532:65532"' &&
    [ "$(stat -c %s "$image")" -le 120000000 ]
}
# The image's command as an engine starts it. $1: the volume. Sets $service, and $contained: the process as this machine sees it.
start_image() {
  : >"$work/service.log"
  unshare --mount --pid --fork --kill-child sh -euc '
    root=$1 volume=$2 secrets=$3
    shift 3
    mount --bind "$root" "$root"
    mount -o remount,bind,ro "$root"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp"
    mount --bind "$volume" "$root/var/lib/tocsin"
    mount --bind "$secrets" "$root/run/secrets"
    exec env -i "$@" /usr/sbin/chroot --userspec=65532:65532 --groups= "$root" /usr/bin/tocsin start
  ' sh "$image_root" "$1" "$work/secrets" "${image_env[@]}" "${PORTS[@]}" >"$work/service.log" 2>&1 &
  service=$!
  until_ready && contained=$(pgrep -P "$service")
}
# A command beside it, as an engine runs one.
beside_image() {
  env -i "${image_env[@]}" "TOCSIN_HTTP_PORT=${http##*:}" TOCSIN_HTTPS_PORT=off \
    /usr/bin/nsenter --target "$contained" --mount --pid --root --wd --setgid 65532 --setuid 65532 /usr/bin/tocsin "$@"
}
kill_image() {
  kill -KILL "$contained"
  wait "$service" 2>/dev/null
  true
}
root_is_sealed() {
  grep -E ' / / ro[, ]| /[^ ]* / ro[, ]' "/proc/$contained/mountinfo" && grep -q '^Uid:.65532.65532' "/proc/$contained/status" &&
    grep -q '^CapEff:.0000000000000000' "/proc/$contained/status" && [ "$(awk '/^NSpid/ { print $NF }' "/proc/$contained/status")" = 1 ]
}
# Ends by SIGTERM within 10 s, with a client connected, and not by a signal.
stops_in_time() {
  local began=$SECONDS client code=0
  curl -sS --max-time 30 "$http/docs" >/dev/null
  sleep 30 | curl -sS --max-time 30 -T - "$http/v1/sdk/sos" >/dev/null 2>&1 &
  client=$!
  sleep 0.3
  kill -TERM "$contained"
  wait "$service" || code=$?
  kill "$client" 2>/dev/null
  echo "ended with $code after $((SECONDS - began)) s"
  [ "$code" -eq 0 ] && [ $((SECONDS - began)) -le 10 ]
}
# The image's own health check. An engine asks every half minute: it takes less than half a second of the processor.
answers_health() {
  local TIMEFORMAT='%U %S' spent
  beside_image health || return 1
  spent=$({ time beside_image health >/dev/null; } 2>&1 | tail -1)
  echo "processor, in seconds: $spent"
  awk '{ exit $1 + $2 >= 0.5 }' <<<"$spent"
}
wrong_owner() {
  install -d -o root -g root -m 0755 "$work/strange"
  if start_image "$work/strange"; then return 1; fi
  cat "$work/service.log"
  grep -q 'chown' "$work/service.log"
}

prove_image() {
  step 'image: its configuration names user and health check; at most 120 MB' describes_itself
  joined image-demo 'image: demo'
  [ "$short" = no ] || return
  step 'image: starts on its volume' start_image "$work/volume" || return
  step 'image: read-only root, user 65532, no capability, first process' root_is_sealed
  step 'image: a secret in a file counts' curl -sSf --max-time 10 -H 'Authorization: Bearer a-long-random-token' "$http/metrics"
  step 'image: its health check answers' answers_health
  step 'image: an SOS reaches the outbox' press beside_image
  step 'image: killed' kill_image
  step 'image: starts again on its volume' start_image "$work/volume" || return
  step 'image: the incident is open still' still_open beside_image
  step 'image: SIGTERM ends it within 10 s' stops_in_time
  step 'image: a volume of another owner is refused with what to do' wrong_owner
}

# A data directory of 0.1.0 with an open incident: earlier.sh.
upgrade_by_image() {
  cp -a "$work/earlier" "$work/volume-earlier" && chown -R 65532:65532 "$work/volume-earlier" &&
    start_image "$work/volume-earlier" && still_open beside_image && stops_in_time
}
