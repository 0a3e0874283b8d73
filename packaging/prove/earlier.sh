# shellcheck shell=bash
# Part of release/prove: what a site of 0.1.0, the last version before releases, has on its disk.

# Its sources in $work/old, ready to run.
unpack_earlier() {
  local old=$work/old commit
  [ ! -x "$old/bin/tocsin" ] || return 0
  commit=$(git log --format=%H -S'"version": "0.1.0"' -- package.json | head -1)
  if [ -z "$commit" ] || ! git cat-file -e "$commit^" 2>/dev/null; then
    echo 'the history of this checkout does not reach back to 0.1.0'
    return 1
  fi
  mkdir "$old" && git archive "$commit^" | tar -x -C "$old" &&
    (cd "$old" && timeout --foreground 300 npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
}
earlier() { env "TOCSIN_DATA_DIR=$work/earlier" "$work/old/bin/tocsin" "$@"; }
# A data directory in which somebody's incident is open. Sets $incident.
lay_earlier() {
  unpack_earlier && mkdir "$work/earlier" && [ "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$work/old/package.json")" = 0.1.0 ] || return 1
  env "TOCSIN_DATA_DIR=$work/earlier" "${PORTS[@]}" "$work/old/bin/tocsin" start >"$work/service.log" 2>&1 &
  service=$!
  until_ready && press earlier && stop_service
}
