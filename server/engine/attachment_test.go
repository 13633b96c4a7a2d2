package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// spy is a store that notes which files were begun.
type spy struct {
	chat.Store
	begun *[]string
}

func (s spy) Apply(ctx context.Context, op func(chat.Tx) error) error {
	return s.Store.Apply(ctx, func(tx chat.Tx) error { return op(spyTx{tx, s.begun}) })
}

type spyTx struct {
	chat.Tx
	begun *[]string
}

func (s spyTx) CreateFile(f *chat.File) error {
	*s.begun = append(*s.begun, f.ID)
	return s.Tx.CreateFile(f)
}

// TestCutUploadLeavesNothing: what did not arrive whole is gone, with its
// chunks.
func TestCutUploadLeavesNothing(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		var begun []string
		relay, err := engine.Open(t.Context(), engine.Config{Store: spy{store, &begun}, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		v, err := relay.Init(t.Context(), engine.Visit{VisitorID: "v"})
		if err != nil {
			t.Fatal(err)
		}
		for name, tail := range map[string]io.Reader{
			"cut":      iotest.ErrReader(io.ErrUnexpectedEOF),
			"too long": bytes.NewReader(make([]byte, chat.DefaultMaxBytes)),
		} {
			body := io.MultiReader(bytes.NewReader(make([]byte, 6*engine.ChunkSize)), tail) // more than is looked at first
			if _, err := relay.Upload(t.Context(), visitor, v.Session.ID, "a.bin", body); err == nil {
				t.Fatalf("%s: the upload succeeded", name)
			}
		}
		if len(begun) != 2 {
			t.Fatalf("%d files were begun, want 2", len(begun))
		}
		for _, id := range begun {
			err := store.Read(t.Context(), func(r chat.Reader) error {
				if _, err := r.File(id); !errors.Is(err, chat.ErrAttachmentNotFound) {
					t.Errorf("the file is still there: %v", err)
				}
				_, err := r.Chunk(id, 0)
				return err
			})
			if !errors.Is(err, chat.ErrAttachmentNotFound) {
				t.Errorf("its chunks are still there: %v", err)
			}
		}
	})
}

// TestUploadLooksFirst: nothing is read from who may not upload.
func TestUploadLooksFirst(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		bound, err := h.Init(t.Context(), engine.Visit{VisitorID: "w", UseToken: true})
		if err != nil {
			t.Fatal(err)
		}
		unread := iotest.ErrReader(errors.New("the body was read"))
		for name, id := range map[string]string{"no session": "nope", "a foreign session": bound.Session.ID} {
			if _, err := h.Upload(t.Context(), visitor, id, "a.bin", unread); !errors.Is(err, chat.ErrSessionNotFound) {
				t.Errorf("%s: %v, want %v", name, err, chat.ErrSessionNotFound)
			}
		}
	})
}

// TestDownloadSeeks reads parts of a file across its chunks.
func TestDownloadSeeks(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		content := make([]byte, 6*engine.ChunkSize+1000)
		for i := range content {
			content[i] = byte(i * 7)
		}
		a, err := h.Upload(t.Context(), visitor, h.open(t, "v"), "a.bin", bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		f, err := h.Open(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(f, content); err != nil {
			t.Error(err)
		}
	})
}

// TestDownloadOfLongerRows reads a file that an earlier relay stored, which put
// four times as much into a row.
func TestDownloadOfLongerRows(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		const row = 4 * engine.ChunkSize
		content := make([]byte, 2*row+1000)
		for i := range content {
			content[i] = byte(i * 7)
		}
		file := chat.File{ID: "old", SessionID: h.open(t, "v"), Uploader: chat.SenderVisitor, CreatedAt: 1, Filename: "a.bin", MimeType: "application/octet-stream"}
		err := store.Apply(t.Context(), func(tx chat.Tx) error {
			err := tx.CreateFile(&file)
			for n := 0; n*row < len(content); n++ {
				err = errors.Join(err, tx.PutChunk(file.ID, n, content[n*row:min(len(content), (n+1)*row)]))
			}
			file.Size, file.Complete = int64(len(content)), true
			return errors.Join(err, tx.SaveFile(&file))
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := h.Open(t.Context(), file.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(f, content); err != nil {
			t.Error(err)
		}
	})
}

// FuzzUploadHead: no name and no first bytes may break anything.
func FuzzUploadHead(f *testing.F) {
	f.Add("a.webp", []byte("RIFF\x24\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff"))
	f.Add("a.png", []byte("\x89PNG\r\n\x1a\n"))
	f.Add("a.gif", []byte("GIF89a"))
	f.Add("../\x00\u202e.jpg", []byte("\xff\xd8\xff\xe0"))
	store, err := db.Memory(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = store.Close() })
	relay, err := engine.Open(context.Background(), engine.Config{Store: store, Log: quiet})
	if err != nil {
		f.Fatal(err)
	}
	v, err := relay.Init(context.Background(), engine.Visit{VisitorID: "v"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		a, err := relay.Upload(t.Context(), visitor, v.Session.ID, name, bytes.NewReader(head))
		var ours *chat.Error
		if err != nil && !errors.As(err, &ours) {
			t.Fatalf("%q: %v", name, err)
		}
		if err == nil && (a.Filename == "" || len(a.Filename) > 500) {
			t.Fatalf("%q became %q", name, a.Filename)
		}
	})
}

// fullDisk is a store on a disk with so much room.
type fullDisk struct {
	chat.Store
	free, total int64
}

func (d *fullDisk) Room() (free, total int64) { return d.free, d.total }

// TestRoomForFiles: files are refused while there is still room for messages, and
// when visitors have left too many.
func TestRoomForFiles(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		disk := &fullDisk{Store: store}
		relay, err := engine.Open(t.Context(), engine.Config{Store: disk, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		v, err := relay.Init(t.Context(), engine.Visit{VisitorID: "v"})
		if err != nil {
			t.Fatal(err)
		}
		upload := func(by chat.Author) error {
			_, err := relay.Upload(t.Context(), by, v.Session.ID, "a.bin", strings.NewReader("hello"))
			return err
		}
		for _, tt := range []struct {
			name        string
			free, total int64
			err         error
		}{
			{"another machine's disk", 0, 0, nil},
			{"a large disk", 1 << 30, 1 << 40, nil},
			{"a large disk that is nearly full", 1<<30 - 1, 1 << 40, chat.ErrNoRoom},
			{"a small disk", 1 << 20, 16 << 20, nil},
			{"a small disk that is nearly full", 800 << 10, 16 << 20, chat.ErrNoRoom},
			{"a full disk", 0, 1 << 40, chat.ErrNoRoom},
		} {
			disk.free, disk.total = tt.free, tt.total
			if err := upload(visitor); !errors.Is(err, tt.err) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
			}
			if _, err := relay.Send(t.Context(), visitor, engine.Post{SessionID: v.Session.ID, Content: "hi"}); err != nil {
				t.Errorf("%s: a message: %v", tt.name, err)
			}
		}
		disk.free, disk.total = 0, 0
		big := chat.File{ID: "big", SessionID: v.Session.ID, Uploader: chat.SenderVisitor, Complete: true, Size: 1 << 30}
		if err := store.Apply(t.Context(), func(tx chat.Tx) error { return tx.CreateFile(&big) }); err != nil {
			t.Fatal(err)
		}
		if err := upload(visitor); !errors.Is(err, chat.ErrNoRoom) {
			t.Errorf("beside 1 GiB that belongs to no message: %v", err)
		}
		if err := upload(chat.Author{Sender: chat.SenderOperator}); err != nil {
			t.Errorf("an operator's file: %v", err)
		}
		big.MessageID = "m"
		if err := store.Apply(t.Context(), func(tx chat.Tx) error { return tx.SaveFile(&big) }); err != nil {
			t.Fatal(err)
		}
		if err := upload(visitor); err != nil {
			t.Errorf("once it is sent: %v", err)
		}
	})
}

// TestUnsentFilesWait: a file waits for its message as long as a widget may still send
// it, and its session with it; while such files take much room, an hour.
func TestUnsentFilesWait(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		id := h.open(t, "v")
		a, err := h.Upload(t.Context(), visitor, id, "a.txt", strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		there := func(when string, after time.Duration, file, session error) {
			t.Helper()
			if err := h.Sweep(t.Context(), chat.Now().Add(after)); err != nil {
				t.Fatal(err)
			}
			err := store.Read(t.Context(), func(r chat.Reader) error {
				if _, err := r.File(a.ID); !errors.Is(err, file) {
					t.Errorf("%s: the file: %v, want %v", when, err, file)
				}
				_, err := r.Session(id)
				return err
			})
			if !errors.Is(err, session) {
				t.Errorf("%s: the session: %v, want %v", when, err, session)
			}
		}
		const day = 24 * time.Hour
		there("after seven days", 7*day, nil, nil)
		there("after eight", 8*day, chat.ErrAttachmentNotFound, chat.ErrSessionNotFound)
		id = h.open(t, "w")
		err = store.Apply(t.Context(), func(tx chat.Tx) error {
			a.ID = "large"
			return tx.CreateFile(&chat.File{ID: "large", SessionID: id, Uploader: chat.SenderVisitor, CreatedAt: chat.Now(), Size: engine.Crowded})
		})
		if err != nil {
			t.Fatal(err)
		}
		there("crowded, at once", 0, nil, nil)
		there("crowded, after an hour", time.Hour+time.Minute, chat.ErrAttachmentNotFound, nil)
	})
}
