# shellcheck shell=bash
# Part of release/prove: tocsin.container with Podman under systemd, in the Debian of containers.sh.

in_podman() { booted_inside podman exec tocsin tocsin "$@"; }
lay_quadlet() {
  local place=$work/debian-engine
  install -D -m 0644 release/tocsin.example.yaml "$place/etc/tocsin/tocsin.yaml" &&
    install -D -m 0644 release/tocsin.container "$place/etc/containers/systemd/tocsin.container" &&
    sed -i 's/^#Secret=TOCSIN_TWILIO_AUTH_TOKEN/Secret=TOCSIN_METRICS_TOKEN/' "$place/etc/containers/systemd/tocsin.container" || return 1
  may_raise_limits || sed -i 's/--ulimit=[^ ]* //g; s/--oom-score-adj=[^ ]* //' "$place/etc/containers/systemd/tocsin.container"
  # In name spaces: no overlay over another, and not every controller.
  printf '[storage]\ndriver = "vfs"\nrunroot = "/run/containers/storage"\ngraphroot = "/var/lib/containers/storage"\n' >"$place/etc/containers/storage.conf" &&
    printf '[containers]\npids_limit = 0\n' >"$place/etc/containers/containers.conf" || return 1
  for other in docker.service docker.socket containerd.service gammu-smsd.service; do ln -sf /dev/null "$place/etc/systemd/system/$other"; done
}
quadlet_starts() {
  booted_inside sh -c 'printf a-long-random-token | podman secret create TOCSIN_METRICS_TOKEN -' &&
    booted_inside timeout 200 /site/use-image "/site/$(basename "$image")" && is ActiveState active
}
quadlet_is_sealed() {
  [ "$(booted_inside podman inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}} {{.EffectiveCaps}}' tocsin)" = 'true 65532:65532 []' ] &&
    booted_inside podman healthcheck run tocsin
}
press_in_podman() {
  http=https://127.0.0.1:8443
  reach=(nsenter --target "$init" --net env "CURL_HOME=$work/curl")
  mkdir -p "$work/curl" && echo insecure >"$work/curl/.curlrc" && press in_podman &&
    "${reach[@]}" curl -sSf -H 'Authorization: Bearer a-long-random-token' "$http/metrics" >/dev/null
  local status=$?
  reach=()
  return "$status"
}
quadlet_comes_back() {
  booted_inside podman kill --signal KILL tocsin || return 1
  for _ in $(seq 150); do
    if in_podman health >/dev/null 2>&1; then break; fi
    sleep 0.2
  done
  is ActiveState active && still_open in_podman
}
upgrade_in_podman() {
  booted_inside podman commit tocsin localhost/tocsin:0.2.9 && booted_inside podman save -o /site/0.2.9.podman.tar localhost/tocsin:0.2.9 &&
    booted_inside timeout 200 /site/use-image /site/0.2.9.podman.tar && still_open in_podman &&
    ls "$work"/debian-engine/var/lib/containers/storage/volumes/tocsin/_data/before-upgrade-*.db
}
quadlet_stops() {
  local began=$SECONDS
  booted_inside systemctl stop tocsin && is ActiveState inactive && [ $((SECONDS - began)) -le 10 ]
}
prove_quadlet() {
  step 'podman: the Quadlet unit of the release' lay_quadlet || return
  if ! boot engine >"$work/output" 2>&1; then
    skip 'podman under systemd' "it does not start here: $(tail -1 "$work/output")"
    return
  fi
  if step 'podman: use-image starts the unit' quadlet_starts; then
    step 'podman: read-only root, user 65532, no capability, healthy' quadlet_is_sealed
    step 'podman: an SOS reaches the outbox, a secret counts' press_in_podman
    step 'podman: killed, systemd starts it again, the incident is open still' quadlet_comes_back
    step 'podman: an upgrade makes a backup, the incident is open still' upgrade_in_podman
    step 'podman: systemctl stop ends it within 10 s' quadlet_stops
  fi
  shut_down
}
