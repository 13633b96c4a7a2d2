#!/bin/sh
# A new relay starts at once and at boot. On an upgrade the service stays as it was: off,
# or running the new version. A relay that cannot start is installed all the same: dpkg
# would keep the package half-configured otherwise. The settings are a copy of the
# example and the administrator's own from then on: as a file of the package they would
# stop upgrades with a question whenever the example has changed.
set -e
[ -e /etc/relay/relay.env ] || install -m 600 /usr/share/relay/relay.example.env /etc/relay/relay.env
new=
[ ! -e /run/relay-is-new ] || new=yes
rm -f /run/relay-is-new
[ -d /run/systemd/system ] || exit 0

# explain prints why relay does not start, in relay's own words with the fix.
explain() {
	journalctl --sync 2>/dev/null || true
	why=$(journalctl --unit relay.service --since -1min --output cat --no-pager 2>/dev/null | sed -n 's/^relay: //p' | tail -n 1) || true
	echo "relay is installed, but $1: ${why:-the reason is in: journalctl -u relay}" >&2
}

systemctl daemon-reload
if [ "$new" ]; then
	systemctl --quiet enable relay.service
	if systemctl start relay.service 2>/dev/null; then
		echo "relay is running. Its addresses and the set-up code: journalctl -u relay"
	else
		systemctl stop relay.service || true # systemd would retry each second
		explain "stopped"
	fi
else
	systemctl try-restart relay.service || explain "the new version does not start"
fi
