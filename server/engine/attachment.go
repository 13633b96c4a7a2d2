package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of attachments.
const (
	// ChunkSize is how much of a file is in one row, and in one transaction:
	// messages that share its commit wait for that.
	ChunkSize = 64 << 10
	// headSize is how much of a file is read to detect its type.
	headSize         = 256 << 10
	maxVisitorFiles  = 5 // of one message
	MaxOperatorFiles = 10

	// maxUnsent is how much visitors' files that belong to no message may take up
	// together, or two of the largest.
	maxUnsent = 1 << 30
	// keptFree is how much of the disk is left to messages, or a part of a small
	// one.
	keptFree     = 1 << 30
	keptFreePart = 20
)

// uploads stores and reads files. It stores one chunk of all files at a time: messages that
// share its commit wait for one, not for a hundred.
type uploads struct {
	store   chat.Store
	config  *configuration
	log     *slog.Logger
	listen  func(io.Reader) chat.Sound
	one     sync.Mutex
	waiting atomic.Int32 // and under way
	beside  atomic.Int64 // the Time of the last other change
}

// MayUpload reports why by may not upload files to a session: nil if it may.
func (u *uploads) MayUpload(ctx context.Context, by chat.Author, sessionID string) error {
	if _, err := u.allowed(ctx, by, sessionID); err != nil {
		return err
	}
	if err := u.checkRoom(); err != nil {
		return err
	}
	return u.store.ReadOne(ctx, func(rd chat.Reader) error {
		s, err := rd.SessionHeader(sessionID)
		if err != nil {
			return err
		}
		return by.Authorise(&s)
	})
}

// allowed returns the rules for a session's files, or ErrAttachmentsOff.
func (u *uploads) allowed(ctx context.Context, by chat.Author, sessionID string) (chat.AttachmentRules, error) {
	settings, err := u.config.SettingsIn(ctx, by, sessionID)
	if err != nil {
		return chat.AttachmentRules{}, err
	}
	rules := settings.AttachmentRules()
	if !rules.Enabled {
		err = chat.ErrAttachmentsOff
	}
	return rules, err
}

// RoomLow reports whether the disk is so full that soon nothing can be stored, and
// the free bytes.
func (u *uploads) RoomLow() (free int64, low bool) {
	free, total := u.store.Room()
	return free, total > 0 && free < chat.LowRoom(total)
}

// checkRoom rejects files while the disk is nearly full, so that messages still
// fit.
func (u *uploads) checkRoom() error {
	if free, total := u.store.Room(); free < min(keptFree, total/keptFreePart) {
		return fmt.Errorf("%w: %d of %d bytes are free on the disk of the database", chat.ErrNoRoom, free, total)
	}
	return nil
}

// Upload stores a file of a session in chunks. It becomes visible
// with its last chunk; an interrupted upload leaves nothing. A message refers
// to it by its id.
func (u *uploads) Upload(ctx context.Context, by chat.Author, sessionID, filename string, body io.Reader) (chat.Attachment, error) {
	ctx = context.WithoutCancel(ctx) // body fails when the sender is gone
	rules, err := u.allowed(ctx, by, sessionID)
	if err == nil {
		err = u.MayUpload(ctx, by, sessionID)
	}
	if err != nil {
		return chat.Attachment{}, err
	}
	head := make([]byte, headSize)
	n, err := readChunk(body, head)
	if err != nil {
		return chat.Attachment{}, err
	}
	head = head[:n]
	f := chat.File{ID: chat.NewID(), SessionID: sessionID, Uploader: by.Sender, CreatedAt: chat.Now(), Filename: CleanFilename(filename)}
	if f.MimeType, err = inspect(f.Filename, head); err != nil {
		return chat.Attachment{}, err
	}
	if !rules.Allows(f.MimeType) {
		return chat.Attachment{}, chat.Errorf(chat.Unsupported, "Files of type %s are not accepted", f.MimeType)
	}
	if err := u.beginFile(ctx, by, &f, max(maxUnsent, 2*rules.MaxBytes)); err != nil {
		return chat.Attachment{}, err
	}
	if err := u.storeFile(ctx, &f, io.MultiReader(bytes.NewReader(head), body), rules.MaxBytes); err != nil {
		u.dropFile(f.ID)
		return chat.Attachment{}, err
	}
	return f.Attachment(), nil
}

// beginFile stores the incomplete file if its author may upload it, and visitors have
// not left too many unsent ones.
func (u *uploads) beginFile(ctx context.Context, by chat.Author, f *chat.File, most int64) error {
	return u.store.Apply(ctx, func(tx chat.Tx) error {
		s, err := tx.SessionHeader(f.SessionID)
		if err != nil {
			return err
		}
		if err := by.Authorise(&s); err != nil {
			return err
		}
		if by.Sender == chat.SenderVisitor {
			if unsent, err := tx.UnsentBytes(); err != nil || unsent >= most {
				return cmp.Or(err, fmt.Errorf("%w: %d bytes of files belong to no message", chat.ErrNoRoom, unsent))
			}
		}
		return tx.CreateFile(f)
	})
}

// PutFile stores a file that another relay had, in place of an incomplete one. f is without
// its size, which body must have.
func (u *uploads) PutFile(ctx context.Context, f *chat.File, body io.Reader, size int64) error {
	err := u.store.Apply(ctx, func(tx chat.Tx) error {
		if err := tx.DeleteFile(f.ID); err != nil {
			return err
		}
		return tx.CreateFile(f)
	})
	if err == nil {
		err = u.storeFile(ctx, f, body, size)
	}
	if err == nil && f.Size != size {
		err = chat.Errorf(chat.Invalid, "the file %s has %d bytes instead of %d", f.Filename, f.Size, size)
	}
	return err
}

// storeFile stores the whole of body.
func (u *uploads) storeFile(ctx context.Context, f *chat.File, body io.Reader, most int64) error {
	body, heard := u.hear(f, body)
	defer heard()
	chunk := make([]byte, ChunkSize)
	for index := 0; ; index++ {
		n, err := readChunk(body, chunk)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		if f.Size += int64(n); f.Size > most {
			return chat.Errorf(chat.TooLarge, "Attachments must be at most %d bytes", most)
		}
		if err := u.checkRoom(); err != nil {
			return err
		}
		if err := u.putChunk(ctx, f.ID, index, chunk[:n]); err != nil {
			return err
		}
		chat.CrashPoint("chunk stored")
	}
	f.Complete, f.Sound = true, heard()
	err := u.store.Apply(ctx, func(tx chat.Tx) error { return tx.SaveFile(f) })
	chat.CrashPoint("file stored")
	return err
}

// The pause after a chunk: this many times as long as storing it took, up to a
// limit, until nothing else has been stored for a while.
const (
	maxChunkRests = 5
	maxChunkRest  = 250 * time.Millisecond
	quietAfter    = time.Second
)

// putChunk stores one chunk, unless the file was erased with its session. It then
// leaves the disk to messages, for longer the more uploads wait:
// a chunk writes ten times as much as a message. A single
// upload needs no pauses, nor does any while no messages are written.
func (u *uploads) putChunk(ctx context.Context, id string, index int, chunk []byte) error {
	u.waiting.Add(1)
	u.one.Lock()
	defer u.one.Unlock()
	begin := time.Now()
	defer func() {
		rests := min(u.waiting.Add(-1), maxChunkRests)
		if chat.Now().Sub(chat.Time(u.beside.Load())) > quietAfter {
			return
		}
		time.Sleep(min(time.Duration(rests)*time.Since(begin), maxChunkRest))
	}()
	return u.store.Apply(ctx, func(tx chat.Tx) error {
		if _, err := tx.File(id); err != nil {
			return err
		}
		return tx.PutChunk(id, index, chunk)
	})
}

// readChunk fills chunk as far as body reaches. Only io.EOF ends a
// body: io.ErrUnexpectedEOF, which [io.ReadFull] also returns, means that a form
// was cut off.
func readChunk(body io.Reader, chunk []byte) (n int, err error) {
	for n < len(chunk) {
		m, err := body.Read(chunk[n:])
		n += m
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("%w: %w", chat.ErrUploadCut, err)
		}
	}
	return n, nil
}

// dropFile removes an incomplete file. If that fails, the sweep
// removes it.
func (u *uploads) dropFile(id string) {
	err := u.store.Apply(context.Background(), func(tx chat.Tx) error { return tx.DeleteFile(id) })
	if err != nil {
		u.log.Warn("an incomplete attachment stays until it is swept", "err", err)
	}
}

// attach adds the named files to a new message: complete ones of its session,
// uploaded by its side and not used yet.
func (c *change) attach(m *chat.Message, ids []string) error {
	for _, id := range ids {
		f, err := c.File(id)
		if err != nil {
			return err
		}
		own := (f.Uploader == chat.SenderVisitor) == (m.Sender == chat.SenderVisitor)
		if f.SessionID != m.SessionID || !f.Complete || f.MessageID != "" || !own {
			return chat.ErrAttachmentNotFound
		}
		f.MessageID = m.ID
		if err := c.SaveFile(&f); err != nil {
			return err
		}
		m.Attachments.V = append(m.Attachments.V, f.Attachment())
	}
	return nil
}

// checkFiles rejects too many files and duplicates.
func checkFiles(sender chat.Sender, ids []string) error {
	most := MaxOperatorFiles
	if sender == chat.SenderVisitor {
		most = maxVisitorFiles
	}
	if len(ids) > most {
		return chat.Errorf(chat.Invalid, "attachmentIds must be at most %d", most)
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return chat.Errorf(chat.Invalid, "attachmentIds names a file twice")
		}
	}
	return nil
}

// Download reads a complete file chunk by chunk.
type Download struct {
	chat.File
	store  chat.Store
	ctx    context.Context
	offset int64
	chunk  []byte
	index  int   // of chunk
	row    int64 // how much of the file is in a row: ChunkSize, or what an earlier relay put there
}

// Open finds a complete file. The download reads while ctx lives.
func (u *uploads) Open(ctx context.Context, id string) (*Download, error) {
	d := &Download{store: u.store, ctx: ctx, index: -1}
	err := u.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		d.File, err = rd.File(id)
		return err
	})
	if err == nil && !d.Complete {
		err = chat.ErrAttachmentNotFound
	}
	return d, err
}

// Read implements [io.Reader].
func (d *Download) Read(p []byte) (int, error) {
	if d.offset >= d.Size {
		return 0, io.EOF
	}
	if d.row == 0 { // the first chunk shows it
		if err := d.load(0); err != nil {
			return 0, err
		}
		d.row = max(int64(len(d.chunk)), 1)
	}
	if err := d.load(int(d.offset / d.row)); err != nil {
		return 0, err
	}
	within := d.offset % d.row
	if within >= int64(len(d.chunk)) {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, d.chunk[within:])
	d.offset += int64(n)
	return n, nil
}

// load reads a chunk, unless it is loaded.
func (d *Download) load(index int) (err error) {
	if index == d.index {
		return nil
	}
	err = d.store.ReadOne(d.ctx, func(rd chat.Reader) (err error) {
		d.chunk, err = rd.Chunk(d.ID, index)
		return err
	})
	if err == nil {
		d.index = index
	}
	return err
}

// Seek implements [io.Seeker].
func (d *Download) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += d.offset
	case io.SeekEnd:
		offset += d.Size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a file")
	}
	d.offset = offset
	return offset, nil
}
