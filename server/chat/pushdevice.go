package chat

import "time"

// PushSink delivers visitors' messages to the browsers of operators.
const PushSink = "push"

// PushDelay is how long an answer has to silence a notification.
const PushDelay = 5 * time.Second

// SettingPush is the stored sign, among the settings, that there are devices: without
// any nothing is written for a notification.
const SettingPush = "push"

// PushDevice is a browser that is notified.
type PushDevice struct {
	ID     string `json:"id" db:"id"`
	Person string `json:"-" db:"person"`
	// SignIn is where it belongs to and ends with; "" for a program's with the secret key.
	SignIn string `json:"-" db:"sign_in"`
	// Endpoint is an address of the browser's push service, and as good as a password.
	Endpoint  string `json:"-" db:"endpoint"`
	P256dh    string `json:"-" db:"p256dh"` // the browser's public key
	Auth      string `json:"-" db:"auth"`   // its secret
	Label     string `json:"label" db:"label"`
	CreatedAt Time   `json:"createdAt" db:"created_at"`
}

// ErrDeviceNotFound means that the person has no such device.
var ErrDeviceNotFound = &Error{Kind: NotFound, Text: "Device not found"}
