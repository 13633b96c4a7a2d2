package db

import "github.com/relay-chat/relay/server/chat"

const (
	selectPushDevices = `SELECT id, person, COALESCE(sign_in, '') AS sign_in, endpoint, p256dh, auth, label, created_at FROM push_devices ORDER BY created_at, id`
	upsertPushDevice  = `INSERT INTO push_devices (id, person, sign_in, endpoint, p256dh, auth, label, wants, content, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'everything', FALSE, ?)
		ON CONFLICT (id) DO UPDATE SET person = excluded.person, sign_in = excluded.sign_in, p256dh = excluded.p256dh, auth = excluded.auth, label = excluded.label`
	deletePushOf     = `DELETE FROM push_devices WHERE person = ?`
	deletePushDevice = `DELETE FROM push_devices WHERE id = ?`
)

// PushDevices implements [chat.DeviceReader].
func (t *tx) PushDevices() ([]chat.PushDevice, error) {
	return list[chat.PushDevice](t, selectPushDevices)
}

// PutPushDevice implements [chat.DeviceTx].
func (t *tx) PutPushDevice(d *chat.PushDevice) error {
	_, err := t.q.exec(upsertPushDevice, d.ID, d.Person, nullable(d.SignIn), d.Endpoint, d.P256dh, d.Auth, d.Label, int64(d.CreatedAt))
	return wrap(err, "put push device %s", d.ID)
}

// DeletePushDevice implements [chat.DeviceTx].
func (t *tx) DeletePushDevice(id string) error {
	return t.touch(chat.ErrDeviceNotFound, deletePushDevice, id)
}
