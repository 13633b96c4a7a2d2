package server_test

import (
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
)

// TestRecordingsSayTheirLength: visitors and the team see how long a voice message is, and how loud
// where, before it is loaded. What only calls itself one says nothing, however it ends.
func TestRecordingsSayTheirLength(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		id := s.open("v")
		const shown = `"durationMs":80,"waveform":"BwcHBwcHBwcHBwcH////////////////g4ODg4ODg4ODg4ODAAAAAAAAAAAAAAAA"`
		data, err := os.ReadFile("../testdata/voice.ogg") // bridgetest.Recording(3, 103, 53, 0)
		if err != nil {
			t.Fatal(err)
		}
		whole := string(data)
		sent := s.upload(uploads, publicKey, "voice-message.ogg", []byte(whole), "sessionId", id, "file", "")
		if !strings.Contains(string(sent.body), shown) {
			t.Fatalf("the upload says %s", sent.body)
		}
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "attachmentIds": []string{sent.text("id")}})
		for path, key := range map[string]string{"/api/widget/messages?sessionId=" + id: publicKey, "/api/admin/sessions/" + id + "/messages": secretKey} {
			if a := s.must("GET", path, key, nil); !strings.Contains(string(a.body), shown) {
				t.Errorf("%s says %s", path, a.body)
			}
		}
		for name, content := range map[string]string{
			"half of one": whole[:len(whole)/2], "a lie": "OggS" + strings.Repeat("\xff", 200<<10), "more behind it": whole + strings.Repeat("x", 300<<10),
			"a song": "ID3" + strings.Repeat("\x00", 2000),
		} {
			if a := s.upload(uploads, publicKey, "voice-message.ogg", []byte(content), "sessionId", id, "file", ""); a.status != 200 || a.get("durationMs") != nil || a.get("waveform") != nil {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		if a := s.upload(uploads, publicKey, "notes.txt", []byte(whole), "sessionId", id, "file", ""); a.get("durationMs") != nil {
			t.Errorf("a text says %s", a.body)
		}
	})
}
