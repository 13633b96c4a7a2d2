#!/bin/sh
set -e
[ -d /run/systemd/system ] && systemctl daemon-reload
case "$1" in
purge)
	rm -f /etc/relay/relay.env
	echo "The conversations are still in /var/lib/private/relay."
	;;
esac
exit 0
