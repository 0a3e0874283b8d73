# shellcheck shell=bash
# Part of release/prove: the release for the other processor, in QEMU's user mode: the program of the package, with the libraries of the image.

case $machine in
  amd64) other=arm64 other_node=arm64 emulator=qemu-aarch64-static ;;
  *) other=amd64 other_node=x64 emulator=qemu-x86_64-static ;;
esac
emulated() {
  local home=$work/emulated/usr/lib/tocsin
  timeout --foreground 400 "$emulator" -L "$emulated_root" "$home/node_modules/node-linux-$other_node/bin/node" "$home/bin/tocsin.js" "$@"
}
open_emulated() {
  local held
  held=$(buildah_here from --arch "$other" "oci-archive:release/tocsin-$version-$other.oci.tar") || return 1
  emulated_root=$(buildah_here mount "$held") && mkdir "$work/emulated" && dpkg-deb -x "release/tocsin_${version}_$other.deb" "$work/emulated" &&
    emulated --version | grep -F "$version"
}
begin_emulated() { step "$other: its program runs in QEMU" open_emulated && beside emulated emulated demo; }
