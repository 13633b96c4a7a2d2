package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/push/pushtest"
)

// TestPushDevices: a browser subscribes with the key that relay made, is listed without
// its address, tried, and removed by its owner alone.
func TestPushDevices(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		a := s.must("GET", "/api/admin/push", secretKey, nil)
		key := a.text("publicKey")
		if again := s.must("GET", "/api/admin/push", secretKey, nil).text("publicKey"); len(key) != 87 || again != key {
			t.Errorf("keys %q and %q", key, again)
		}
		service := pushtest.New()
		defer service.Close()
		service.Key = key
		_, p256dh, auth := service.Subscription()
		in := object{"endpoint": "https://push.example.com/secret-place", "keys": object{"p256dh": p256dh, "auth": auth}, "label": "Phone"}
		d := s.must("POST", "/api/admin/push/devices", secretKey, in)
		if strings.Contains(string(d.body), "secret-place") || strings.Contains(string(d.body), auth) {
			t.Errorf("the device is %s", d.body)
		}
		if list := s.must("GET", "/api/admin/push", secretKey, nil).get("devices").([]any); len(list) != 1 {
			t.Errorf("devices %v", list)
		}
		in["endpoint"] = "https://10.0.0.1/x"
		s.refused(s.call("POST", "/api/admin/push/devices", secretKey, in), 400, "endpoint is not allowed")
		in["endpoint"] = "http://push.example.com/x"
		s.refused(s.call("POST", "/api/admin/push/devices", secretKey, in), 400, "endpoint must be an https address")
		in["endpoint"], in["keys"] = "https://push.example.com/x", object{"p256dh": "x", "auth": auth}
		s.refused(s.call("POST", "/api/admin/push/devices", secretKey, in), 400, "keys.p256dh must be")
		in["keys"] = "x"
		s.refused(s.call("POST", "/api/admin/push/devices", secretKey, in), 400, "keys must be")
		s.refused(s.call("POST", "/api/admin/push/devices/x/test", secretKey, nil), 404, "Device not found")
		s.must("DELETE", "/api/admin/push/devices/"+d.text("id"), secretKey, nil)
		s.refused(s.call("DELETE", "/api/admin/push/devices/"+d.text("id"), secretKey, nil), 404, "Device not found")
	})
}
