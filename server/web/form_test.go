package web

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/engine"
)

// TestUploadPace: a sender may rest for a while, but not be slow for ever.
func TestUploadPace(t *testing.T) {
	for _, tt := range []struct {
		name     string
		passed   time.Duration // of waiting
		received int64
		left     time.Duration // for the next bytes
	}{
		{"at the start", 0, 0, IdleTimeout},
		{"nothing so far", 50 * time.Second, 0, 10 * time.Second},
		{"a byte now and then", 61 * time.Second, 61, -time.Second},
		{"at the pace", 100 * time.Second, 100 * uploadPace, IdleTimeout},
		{"a little slower", 100 * time.Second, 50 * uploadPace, 10 * time.Second},
		{"a long upload", 20 * time.Minute, 1 << 30, IdleTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &PatientReader{waited: tt.passed, received: tt.received}
			if left := p.patience(); left != tt.left {
				t.Errorf("%s are left, want %s", left, tt.left)
			}
		})
	}
}

// deadlines are those of a connection, and a writer of answers to it.
type deadlines struct {
	http.ResponseWriter
	read, write time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error  { d.read = t; return nil }
func (d *deadlines) SetWriteDeadline(t time.Time) error { d.write = t; return nil }

// TestUploadToASlowRelay: who sends at once what relay takes long to store is not
// slow, and still gets the answer.
func TestUploadToASlowRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deadlines{}
		p := NewPatientReader(strings.NewReader(strings.Repeat("z", 20*engine.ChunkSize)), d)
		for range 20 {
			if _, err := io.ReadFull(p, make([]byte, engine.ChunkSize)); err != nil {
				t.Fatal(err)
			}
			if left := time.Until(d.read); left < IdleTimeout {
				t.Fatalf("%s were left for the next bytes, want %s", left, IdleTimeout)
			}
			time.Sleep(20 * time.Second) // relay stores it
		}
		time.Sleep(time.Minute)
		p.End()
		if left := time.Until(d.write); left != answerTime {
			t.Errorf("%s are left for the answer, want %s", left, answerTime)
		}
	})
}
