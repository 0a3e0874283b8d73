# shellcheck shell=bash
# Part of release/prove: compose.yaml with PostgreSQL and a modem, in the Docker of containers.sh. Its images are of Debian's packages,
# because there is no network in there: a stand-in for Docker Hub's postgres, and gammu-smsd with gammu's own stand-in for a phone.

lay_images() {
  local site=$work/debian-engine/site
  # shellcheck disable=SC2016
  timeout --foreground 400 mmdebstrap --variant=apt --dpkgopt=force-unsafe-io --include=postgresql-17,gammu-smsd \
    --customize-hook='upload packaging/prove/postgres-image.sh /usr/local/bin/start' --customize-hook='chmod 0755 "$1/usr/local/bin/start"' \
    --customize-hook='chroot "$1" sh -c "groupmod -g 999 postgres && usermod -u 999 postgres"' trixie "$site/images.tar" &&
    in_engine docker import --change 'ENTRYPOINT ["/usr/local/bin/start"]' /site/images.tar docker.io/library/postgres:17 &&
    in_engine docker import /site/images.tar localhost/tocsin-smsd && rm "$site/images.tar"
}
# What docs/containers.md says about the profiles, on an empty site.
lay_profiles() {
  local site=$work/debian-engine/site
  in_engine docker compose -f /site/compose.yaml down --volumes || return 1
  echo 'COMPOSE_PROFILES=postgres,modem' >"$site/.env"
  install -o 999 -m 0400 /dev/stdin "$site/postgres-password" <<<'a-password' &&
    install -o 65532 -m 0400 /dev/stdin "$site/secrets/TOCSIN_STORE_URL" <<<'postgresql://tocsin:a-password@postgres/tocsin' &&
    printf '%s\n' 'publicUrl: https://sos.example.org' 'notifications:' '  providers: [modem]' 'modem:' '  spool: /var/spool/tocsin-sms' >"$site/tocsin.yaml" &&
    sed -i 's|device = /dev/modem|device = /tmp|; s|at115200|none|; s|^\( *\)\[gammu\]|&\n\1model = dummy|' "$site/compose.yaml"
}
profiles_start() { use_image "$(basename "$image")" && in_engine docker compose -f /site/compose.yaml ps; }
press_with_modem() {
  has_sent() { in_engine sh -c 'ls /var/lib/docker/volumes/tocsin-sms/_data/sent/OUT*' >/dev/null 2>&1; }
  press_in_docker
  local status=$?
  has_sent() { "$@" outbox list --json 2>/dev/null | grep -q 'needs help'; }
  [ "$status" = 0 ] || in_engine docker logs --tail 20 tocsin-smsd
  return "$status"
}
database_restarts() {
  in_engine docker restart tocsin-postgres || return 1
  for _ in $(seq 150); do
    if still_open in_docker 2>/dev/null && in_docker health; then return 0; fi
    sleep 0.2
  done
  in_engine docker logs --tail 20 tocsin
  return 1
}
upgrade_with_postgres() {
  next_image 0.2.8 && use_image 0.2.8.tar >"$work/said" 2>&1
  local status=$?
  cat "$work/said"
  [ "$status" = 0 ] && grep -q 'The data is in PostgreSQL' "$work/said" && still_open in_docker
}
prove_profiles() {
  step 'profiles: images for PostgreSQL and the modem' lay_images || return
  step 'profiles: an empty site with both' lay_profiles || return
  if step 'profiles: use-image starts all three' profiles_start; then
    step 'profiles: an SOS leaves through the modem' press_with_modem
    step 'profiles: PostgreSQL restarts, the incident is open still' database_restarts
    step 'profiles: an upgrade says that the backup is made there' upgrade_with_postgres
  fi
}
