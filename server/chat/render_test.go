package chat

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestAppendJSON: a message looks the same whoever renders it, also with fields
// that are added later.
func TestAppendJSON(t *testing.T) {
	texts := []string{"", "plain text ~", `"quoted" \back`, "<b>&</b>", "tab\tline\n\x00\x7f", "Grüße 🎉\u2028", "\xff"}
	var list []Message
	for _, text := range texts {
		list = append(list, Message{ID: "id", Content: text, ClientID: text, Timestamp: 1234567890123, Attachments: Of(Attachments{})})
	}
	filled := reflect.ValueOf(&Message{}).Elem()
	for i := range filled.NumField() {
		switch f := filled.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("text")
		case reflect.Int64:
			f.SetInt(int64(1700000000000 + i))
		}
		list = append(list, filled.Interface().(Message))
	}
	full := filled.Interface().(Message)
	full.Attachments = Of(Attachments{{ID: "f", Filename: "ä.png", MimeType: "image/png", Size: 7, URL: "/files/f?a&b"}})
	full.Sources = Sources{{Title: "Shipping & returns", URL: "https://example.com/?a&b"}}
	full.Buttons = Buttons{{Text: "Yes & no"}, {Text: "<Prices>", URL: "https://example.com/?a&b"}}
	draft := full
	draft.Internal, draft.Draft = true, true
	for _, m := range append(list, full, draft) {
		want, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.AppendJSON([]byte("head ")); string(got) != "head "+string(want) {
			t.Errorf("\n got %s\nwant head %s", got, want)
		}
		e := NewMessageEvent(EventMessage, SourceWidget, 1, &m)
		if want := Render(EventMessage, "", m); string(e.Payload) != string(want) {
			t.Errorf("\n got %s\nwant %s", e.Payload, want)
		}
	}
}
