package privacy

import (
	"archive/zip"
	"bytes"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestExportedFiles: the files of messages are in the export, under names that stay in
// their folder.
func TestExportedFiles(t *testing.T) {
	e, err := engine.Open(t.Context(), engine.Config{Store: dbtest.Memory(t), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	visitor := chat.Author{Sender: chat.SenderVisitor}
	v, err := e.Init(t.Context(), engine.Visit{VisitorID: "v"})
	if err != nil {
		t.Fatal(err)
	}
	file, err := e.Upload(t.Context(), visitor, v.Session.ID, "list.txt", strings.NewReader("one, two"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Send(t.Context(), visitor, engine.Post{SessionID: v.Session.ID, Content: "my list", AttachmentIDs: []string{file.ID}}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * page { // more than are in memory at a time
		if _, err := e.Send(t.Context(), visitor, engine.Post{SessionID: v.Session.ID, Content: strings.Repeat("x", i+1)}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	done, err := ExportAll(t.Context(), e, &out)
	if err != nil || done != (Exported{1, 2*page + 1, 1}) {
		t.Fatalf("%+v, %v", done, err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, "-list.txt") })
	if i < 0 {
		t.Fatal("the file is missing")
	}
	in, err := archive.File[i].Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		if age := time.Since(f.Modified); age < -time.Minute || age > time.Hour {
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
	}
	if content, err := io.ReadAll(in); err != nil || string(content) != "one, two" {
		t.Errorf("%q, %v", content, err)
	}
}

// TestSafeName: no name leads out of its folder, on any system.
func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{"list.txt": "list.txt", "../../etc/passwd": "_.._etc_passwd", `..\..\boot.ini`: `_.._boot.ini`,
		"C:autoexec": "C_autoexec", "a\nb": "a_b", ".bashrc": "bashrc", "Größe.pdf": "Größe.pdf"} {
		if got := safeName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// TestConcerns: a visitor is found by what it said of itself, whatever the case.
func TestConcerns(t *testing.T) {
	s := &chat.Session{VisitorID: "v-1", Identity: chat.Raw(`{"email":"Ann@Example.com","age":3}`), PreChat: chat.Raw(`{"mail":" other@example.com "}`)}
	for who, want := range map[string]bool{"v-1": true, "ann@example.com": true, "other@example.com": true, "example.com": false, "3": false, "v-2": false} {
		if concerns(s, who) != want {
			t.Errorf("%q: want %t", who, want)
		}
	}
}
