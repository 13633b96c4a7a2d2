package inbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// fileGrace is how long a message waits for its files. What takes longer, or
// fails, follows in a message of its own.
const fileGrace = 3 * time.Second

// takeFiles takes over the files that an operator sent, into relay or in bridge mode
// by a sealed reference. It returns a line for each that it cannot take.
func (ev *event) takeFiles(ctx context.Context, parts []chat.Inbound, p *engine.Post) (missing []string, err error) {
	grace, cancel := context.WithTimeout(ctx, fileGrace)
	defer cancel()
	count := 0
	for _, in := range parts {
		for _, f := range in.Files {
			why := "is one too many"
			if count++; count <= engine.MaxOperatorFiles {
				why = ev.takeFile(grace, in.Remote, f, p)
			}
			if why != "" {
				missing = append(missing, missingLine(f, why, ev.h.platform.Name()))
			}
		}
	}
	return missing, ctx.Err()
}

// takeFile takes over one file, leaves it to an errand, or returns why it cannot be
// taken.
func (ev *event) takeFile(ctx context.Context, remote string, f chat.InboundFile, p *engine.Post) (why string) {
	h := ev.h
	if h.platform.Stateless {
		if h.seal == nil {
			return "cannot be passed on"
		}
		name := engine.CleanFilename(cmp.Or(f.Filename, "file"))
		p.Files = append(p.Files, h.seal.Attachment(chat.FileRef{Bridge: h.platform.Name(), Ref: f.Ref, Filename: name, MimeType: cmp.Or(f.MimeType, "application/octet-stream"), Size: f.Size}))
		return ""
	}
	if f.Size > h.largest(ctx, ev.thread.SessionID) {
		return "is too large"
	}
	a, err := ev.copyFile(ctx, f)
	switch why := whyMissing(err); {
	case err == nil:
		p.AttachmentIDs = append(p.AttachmentIDs, a.ID)
		return ""
	case why != "":
		h.platform.Log.Warn("an operator's file is not relayed", "session", access.Session(ev.thread.SessionID), "err", err)
		return why
	}
	p.Errands = append(p.Errands, ev.errand("file "+remote+" "+f.Ref, errand{About: remote, File: &f, Name: ev.author.Name, Person: ev.author.Person, Internal: p.Internal}))
	return ""
}

// whyMissing returns why a file can never be fetched, "" when another attempt may
// succeed.
func whyMissing(err error) string {
	var refused *chat.Error
	switch {
	case errors.As(err, &refused) && refused.Kind == chat.TooLarge:
		return "is too large"
	case errors.Is(err, chat.ErrPermanent), errors.As(err, &refused) && refused.Kind != chat.StorageFull && !errors.Is(err, chat.ErrUploadCut):
		return "could not be passed on"
	}
	return ""
}

// fileTime bounds the download of a file by its size, or by the largest if that
// is unknown: a server that sends next to nothing holds nobody for ever.
func fileTime(size, largest int64) time.Duration {
	const slowest = 32 << 10 // bytes a second
	if size <= 0 {
		size = largest
	}
	return 30*time.Second + time.Duration(size/slowest)*time.Second
}

// largest is how many bytes a file of a session may have.
func (h *Handler) largest(ctx context.Context, sessionID string) int64 {
	settings, _ := h.relay.SettingsIn(ctx, chat.Author{}, sessionID) // the first site's where the session cannot be read
	rules := settings.AttachmentRules()
	return rules.MaxBytes
}

// sendFile fetches a file and sends it, or a line that stands for it if that fails,
// unless its message was deleted meanwhile.
func (ev *event) sendFile(ctx context.Context, e *errand) error {
	if withdrawn, err := ev.thread.wasDeleted(ctx, ev.Remote); err != nil || withdrawn {
		return err
	}
	h, p := ev.h, engine.Post{SessionID: ev.thread.SessionID, Internal: e.Internal, Origins: []chat.Link{ev.thread.linkTo(ev.Remote)}}
	p.ClientID = access.Key(ev.update.Bridge, ev.update.Key)
	fetching, cancel := context.WithTimeout(ctx, fileTime(e.File.Size, h.largest(ctx, ev.thread.SessionID)))
	a, err := ev.copyFile(fetching, *e.File)
	cancel()
	why := whyMissing(err)
	switch {
	case err == nil:
		p.AttachmentIDs = []string{a.ID}
	case ctx.Err() != nil || why == "" && ev.update.Attempts+1 < chat.InboxAttempts:
		if errors.Is(err, chat.ErrUploadCut) { // by the platform, which is no refusal of relay's
			return errors.New("the download was cut off")
		}
		return err
	default:
		h.platform.Log.Error("an operator's file could not be fetched", "session", access.Session(ev.thread.SessionID), "err", err)
		p.Content = missingLine(*e.File, cmp.Or(why, "could not be fetched"), h.platform.Name())
	}
	if _, err := h.relay.Send(ctx, ev.author, p); err != nil || p.Content == "" {
		return err
	}
	ev.Kind = chat.InboundMessage
	return ev.answer(ctx, "The file "+chat.Clip(chat.OneLine(cmp.Or(e.File.Filename, "file")), 100)+" could not be passed on. Send it again if the visitor needs it.")
}

// copyFile streams a file from the platform into relay.
func (ev *event) copyFile(ctx context.Context, f chat.InboundFile) (chat.Attachment, error) {
	body, err := ev.h.platform.Fetch(ctx, f.Ref)
	if err != nil {
		return chat.Attachment{}, fmt.Errorf("fetch a file: %w", err)
	}
	defer body.Close()
	return ev.h.relay.Upload(ctx, ev.author, ev.thread.SessionID, cmp.Or(f.Filename, "file"), body)
}
