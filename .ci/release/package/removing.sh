#!/bin/sh
# dpkg calls this with "remove", or "upgrade"; rpm with how many versions will be left.
set -e
[ -d /run/systemd/system ] || exit 0
case "$1" in
remove | 0) systemctl disable --now relay.service relay.socket ;;
esac
