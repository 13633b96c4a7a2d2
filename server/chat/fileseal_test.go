package chat_test

import (
	"errors"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

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
