package digest_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/relay-chat/relay/db/digest"
	"github.com/relay-chat/relay/server/chat"
)

var (
	visitor = &chat.Writer{Sender: chat.SenderVisitor}
	ada     = &chat.Writer{Sender: chat.SenderOperator, Bridge: "slack", Author: "Ada ☂", Person: "p1"}
)

var sessions = []chat.SessionFacts{
	{Number: 512, StartedAt: 1_790_000_000_000},
	{Number: 513, StartedAt: 1_790_000_000_000, AnsweredAt: 1_789_999_999_999, RespondedAt: 1_790_000_100_000, Score: 5, Commented: true, Closed: true,
		Messages: []chat.MessageFact{{At: 1_790_000_050_000, By: ada}, {At: 1_790_000_000_000, By: visitor}}, Closings: []chat.Time{3, 1}, HandBacks: []chat.Time{7}},
	{Number: 900, StartedAt: 5, Messages: []chat.MessageFact{{At: 6, By: ada}}},
	{Number: 901, Site: "berlin", StartedAt: 9}, {Number: 902, StartedAt: 10}, {Number: 903, Site: "berlin", StartedAt: 11},
}

// TestDigest: what was packed comes back, also into what held another digest before.
func TestDigest(t *testing.T) {
	var d digest.Sessions
	for _, want := range [][]chat.SessionFacts{sessions, sessions[1:], sessions[:3], sessions[:1], sessions[3:4], {}} {
		if err := d.Decode(digest.Encode(want)); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(len(d.List)) != fmt.Sprint(len(want)) {
			t.Fatalf("%d sessions, want %d", len(d.List), len(want))
		}
		for i := range want {
			got, want := d.List[i], want[i]
			if len(got.Messages) == 0 {
				got.Messages = nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
	}
}

// FuzzDecode: foreign bytes are refused or read, and take no more memory than they have
// bytes.
func FuzzDecode(f *testing.F) {
	f.Add(digest.Encode(sessions))
	f.Add(digest.Encode(sessions[:3]))
	f.Add([]byte{2, 0, 0, 0, 0})
	f.Add([]byte{})
	f.Add([]byte{1, 255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, packed []byte) {
		var d digest.Sessions
		if d.Decode(packed) != nil {
			return
		}
		if len(d.List) > len(packed) {
			t.Errorf("%d sessions of %d bytes", len(d.List), len(packed))
		}
	})
}
