# The part of release/prove about what is damaged, too old or signed by somebody else, which includes it.

# gpg_key FILE [EXPIRY]: a further key, in FILE and its public part in FILE.asc.
gpg_key() {
  rm -rf "$1.home"
  install -d -m 0700 "$1.home" &&
    gpg --homedir "$1.home" --batch --quiet --pinentry-mode loopback --passphrase "${passphrase-}" \
      --quick-generate-key 'Proof <proof@localhost>' ed25519 sign "${2-never}" &&
    gpg --homedir "$1.home" --batch --armor --export >"$1.asc"
}
# Of `npm run release -- --key FILE`.
refuses_keys() {
  local made
  for made in "expired seconds=1 has expired" "public never holds no private" "locked never does not sign"; do
    set -- $made
    local key=$work/key-$1
    passphrase=$([ "$1" = locked ] && echo secret) gpg_key "$key" "$2" && sleep 2 || return 1
    case "$1" in
      public) cp "$key.asc" "$key" ;;
      *) gpg --homedir "$key.home" --batch --pinentry-mode loopback --passphrase "$([ "$1" = locked ] && echo secret)" --armor --export-secret-keys >"$key" ;;
    esac
    fails_with "${*:3}" bin/node packaging/main.ts --only none --key "$key" || return 1
  done
}
refuses_repositories() {
  local place=$work/debian-$1 wrong=$work/repository/wrong
  # Another key than the one that signed.
  gpg_key "$work/other" && mv "$place/etc/apt/keyrings/tocsin.asc" "$place/etc/apt/keyrings/right.asc" &&
    cp "$work/other.asc" "$place/etc/apt/keyrings/tocsin.asc" || return 1
  fails_with 'NO_PUBKEY|not signed|[Mm]issing key' inside "$1" apt-get update -q -o APT::Update::Error-Mode=any || return 1
  mv "$place/etc/apt/keyrings/right.asc" "$place/etc/apt/keyrings/tocsin.asc"
  # One bit of a package, as a bad stick gives it.
  mkdir -p "$wrong" && cp -r "$work/repository/dists" "$work/repository/pool" "$wrong/" &&
    printf X | dd of="$(ls "$wrong"/pool/tocsin_*_"$machine".deb)" bs=1 seek=1000 conv=notrunc status=none &&
    sed -i 's|file:/repository|&/wrong|' "$place/etc/apt/sources.list.d/tocsin.list" &&
    inside "$1" apt-get update -q && fails_with 'Hash Sum mismatch|corrupted package|unexpected size' install_package "$1" || return 1
  # A list of packages that the signature does not know.
  echo >>"$wrong/dists/stable/main/binary-$machine/Packages"
  rm -f "$wrong/dists/stable/main/binary-$machine/Packages.gz"
  inside "$1" sh -c 'rm -rf /var/lib/apt/lists/*repository*'
  fails_with 'Hash Sum mismatch|unexpected size' inside "$1" apt-get update -q -o APT::Update::Error-Mode=any || return 1
  # A key that has expired. Debian 13 believes what was signed before.
  if [ ! -x "$place/usr/bin/sqv" ]; then
    gpg_key "$work/expired" seconds=1 && gpg --homedir "$work/expired.home" --batch --yes --output "$wrong/dists/stable/InRelease" \
      --clear-sign "$wrong/dists/stable/Release" && sleep 2 && cp "$work/expired.asc" "$place/etc/apt/keyrings/tocsin.asc" || return 1
    inside "$1" sh -c 'rm -rf /var/lib/apt/lists/*repository*'
    fails_with 'EXPKEYSIG' inside "$1" apt-get update -q -o APT::Update::Error-Mode=any || return 1
  fi
  sed -i 's|file:/repository/wrong|file:/repository|' "$place/etc/apt/sources.list.d/tocsin.list"
  rm -rf "$wrong"
  add_repository "$1"
}
# From a file nothing is signed: its checksum says so, else dpkg.
refuses_a_damaged_file() {
  local place=$work/debian-$1/root/damaged before
  before=$(inside "$1" dpkg-query -W -f '${Version} ${db:Status-Status}' tocsin)
  mkdir -p "$place" && cp "$deb" release/SHA256SUMS "$place/" &&
    printf X | dd of="$place/$(basename "$deb")" bs=1 seek=$(($(stat -c %s "$deb") / 2)) conv=notrunc status=none || return 1
  # Not apt, which may have a sound copy of the same version.
  fails_with "$(basename "$deb"): FAILED" inside "$1" sh -c 'cd /root/damaged && sha256sum --check --ignore-missing SHA256SUMS' &&
    fails_with 'compressed data is corrupt' inside "$1" dpkg --install "/root/damaged/$(basename "$deb")"
  local status=$?
  rm -r "$place"
  [ "$status" = 0 ] || return 1
  [ "$(inside "$1" dpkg-query -W -f '${Version} ${db:Status-Status}' tocsin)" = "$before" ] && inside "$1" tocsin --version
}
# Of the checksums: another key, and one more byte.
refuses_sums() {
  local place=$work/sums
  mkdir -p "$place" && cp release/SHA256SUMS release/SHA256SUMS.asc "$place/" && gpg_key "$place/other" || return 1
  fails_with 'No public key' gpg --homedir "$place/other.home" --batch --verify "$place/SHA256SUMS.asc" "$place/SHA256SUMS" || return 1
  echo >>"$place/SHA256SUMS"
  fails_with 'BAD signature' gpg --homedir "$work/gpg" --batch --verify "$place/SHA256SUMS.asc" "$place/SHA256SUMS"
}
