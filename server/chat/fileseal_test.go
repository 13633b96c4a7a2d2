package chat_test

import (
	"errors"
	"testing"
	"time"

	"relay/server/chat"
)

// TestDeskFilesOfBackends: they come from where the backend has them, and one
// that is away holds the conversation up for a while only.
func TestDeskFilesOfBackends(t *testing.T) {
	f := newFake("telegram")
	inOffice(t, true, func(t *testing.T, o *office) {
		session := chat.Introduction{ID: "s-1"}
		send := func(id, text string, names ...string) {
			n := chat.Notice{ID: id, Content: text, Sender: chat.SenderVisitor}
			for _, name := range names {
				n.Files = append(n.Files, chat.Attachment{Filename: name, MimeType: "text/plain", Size: 3, URL: "https://backend.example/" + name})
			}
			o.must(o.Backend().Send(t.Context(), visitor, session, n))
		}
		send("m1", "two files", "here.txt", "away.txt")
		send("m2", "and on")
		time.Sleep(5 * time.Minute)
		expectTexts(t, "texts", f.shown(0), "two files", "[here.txt=data of https://backend.example/here.txt]",
			"- The file away.txt (text/plain, 3 bytes) cannot be shown here.\nhttps://backend.example/away.txt", "and on")
	}, f)
}

func TestFileSeal(t *testing.T) {
	seal, err := chat.NewFileSeal("secret", "")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := chat.NewFileSeal("another", "")
	token := seal.Seal(chat.FileRef{Bridge: "telegram", Ref: "r"})
	if f, ok := seal.Find("/files/" + token); !ok || f.Ref != "r" {
		t.Errorf("the link leads to %+v, %v", f, ok)
	}
	if _, ok := seal.Find("https://elsewhere.example/files/" + token); ok {
		t.Error("a foreign link leads to a file")
	}
	for _, bad := range []string{"", "x", token[:len(token)-2], token + "AA", other.Seal(chat.FileRef{Ref: "r"})} {
		if _, err := seal.Open(bad); !errors.Is(err, chat.ErrAttachmentNotFound) {
			t.Errorf("token %q: %v", bad, err)
		}
	}
}
