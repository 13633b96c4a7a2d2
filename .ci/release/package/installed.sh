#!/bin/sh
# A new relay starts at once and at boot. On an upgrade the service stays as it was: off,
# or running the new version. The settings are a copy of the example and the
# administrator's own from then on: as a file of the package they would stop upgrades
# with a question whenever the example has changed.
set -e
[ -e /etc/relay/relay.env ] || install -m 600 /usr/share/relay/relay.example.env /etc/relay/relay.env
new=
[ ! -e /run/relay-is-new ] || new=yes
rm -f /run/relay-is-new
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
if [ "$new" ]; then
	systemctl enable --now relay.service
	echo "relay is running. Its addresses and the set-up code: journalctl -u relay"
else
	systemctl try-restart relay.service
fi
