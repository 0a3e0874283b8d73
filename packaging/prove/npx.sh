# shellcheck shell=bash
# Part of release/prove: the tarball, in a directory with nothing else and a home without npm's cache.

by_npx() { (cd "$work/empty" && HOME=$work/home timeout --foreground 240 npx --yes "./$(basename "$tarball")" "$@"); }
npx_demo() {
  mkdir -p "$work/empty" "$work/home" && cp "$tarball" "$work/empty/" && by_npx demo &&
    [ "$(ls "$work/empty")" = "$(basename "$tarball")" ]
}
on_npx() { TOCSIN_DATA_DIR=$work/by-npx by_npx "$@"; }
# A data directory of 0.1.0 with an open incident: earlier.sh.
upgrade_by_npx() {
  cp -a "$work/earlier" "$work/by-npx" || return 1
  (export "TOCSIN_DATA_DIR=$work/by-npx" "${PORTS[@]}" && by_npx start) >"$work/service.log" 2>&1 &
  service=$!
  until_ready && still_open on_npx || return 1
  # npm stands between.
  kill "$(sed -n 's/.*"pid":\([0-9]*\).*"msg":"ready".*/\1/p' "$work/service.log" | head -1)" && wait "$service"
  true
}
