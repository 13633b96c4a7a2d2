package guard

import "testing"

// TestMetadataIsNeverReached: not by who may reach private networks either.
func TestMetadataIsNeverReached(t *testing.T) {
	for _, host := range []string{"169.254.169.254", "[fe80::a9fe:a9fe]", "100.100.100.200", "192.0.0.192", "168.63.129.16", "[::ffff:168.63.129.16]",
		"[fd00:ec2::254]", "[fd20:ce::254]", "[fd00:c1::a9fe:a9fe]", "[fd00:42::42]", "[fd00:a9fe:a9fe::1]", "[fd00:100::100:200]"} {
		if could, err := Refuse("http://"+host+"/", Private); err == nil || could.IsValid() {
			t.Errorf("%s: %v, could be allowed: %v", host, err, could.IsValid())
		}
	}
	if _, err := Refuse("http://[fd00:42::43]/", Private); err != nil {
		t.Errorf("its neighbour: %v", err)
	}
}
