#!/bin/sh
# Installs relay: downloads the program for this machine, verifies its checksum and
# puts it into /usr/local/bin.
#   curl -fsSL https://github.com/relay-chat/relay/releases/latest/download/install.sh | sh
# RELAY_VERSION is another version, RELAY_BIN another folder, RELAY_DOWNLOADS another
# address of the release.
set -eu

version=${RELAY_VERSION:-@VERSION@}
version=${version#v}
downloads=${RELAY_DOWNLOADS:-https://github.com/relay-chat/relay/releases/download/v$version}
bin=${RELAY_BIN:-/usr/local/bin}

fail() {
	echo "install: $*" >&2
	exit 1
}

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) fail "there is no program for $(uname -s) here; Windows: download relay_${version}_windows_amd64.zip" ;;
esac
case $(uname -m) in
x86_64 | amd64) processor=amd64 ;;
aarch64 | arm64) processor=arm64 ;;
armv7* | armv8l) processor=armv7 ;;
*) fail "there is no program for the processor $(uname -m); build it from source: go install github.com/relay-chat/relay@v$version" ;;
esac
archive=relay_${version}_${system}_$processor.tar.gz

fetch() {
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL --retry 3 -o "$2" "$1"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -O "$2" "$1"
	else
		fail "neither curl nor wget is there: install one of them"
	fi || fail "cannot download $1"
}

checksum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d ' ' -f 1
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fetch "$downloads/SHA256SUMS" "$folder/SHA256SUMS"
fetch "$downloads/$archive" "$folder/$archive"
wanted=$(awk -v name="$archive" '$2 == name { print $1 }' "$folder/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS does not name $archive; nothing was installed"
[ "$(checksum "$folder/$archive")" = "$wanted" ] || fail "$archive has another checksum than SHA256SUMS says; nothing was installed"
tar -xzf "$folder/$archive" -C "$folder" relay

as_root=""
if [ ! -d "$bin" ] || [ ! -w "$bin" ]; then
	mkdir -p "$bin" 2>/dev/null || true
	[ -w "$bin" ] || as_root=sudo
fi
$as_root install -m 755 "$folder/relay" "$bin/relay" || fail "cannot write to $bin; choose a folder of yours: RELAY_BIN=\$HOME/.local/bin"
echo "relay $version is installed as $bin/relay. Start it: relay"
