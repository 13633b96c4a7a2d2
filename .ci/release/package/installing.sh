#!/bin/sh
# dpkg calls this with "install", also after a removal that left the settings, or with
# "upgrade"; rpm with how many versions will be there.
set -e
case "$1" in
install | 1) touch /run/relay-is-new ;;
esac
