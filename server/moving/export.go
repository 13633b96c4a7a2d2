package moving

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// page is how many sessions or messages an export holds in memory at a time.
const page = 200

// maxEntries bounds the timeline of a conversation.
const maxEntries = 10_000

// Done counts what was moved.
type Done struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Files         int `json:"files"`
	// Known are the conversations that were there already.
	Known int `json:"known"`
	// Notes are what did not move, for people.
	Notes []string `json:"notes"`
}

// Export writes a site as a zip. publicKey is that of its widget.
func Export(ctx context.Context, e *engine.Engine, base Knowledge, s *chat.Site, publicKey string, out io.Writer) (Done, error) {
	x := exporter{ctx: ctx, engine: e, zip: zip.NewWriter(out)}
	err := x.site(base, s, publicKey)
	for last := int64(0); err == nil; {
		var list []chat.Session
		err = e.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
			list, last, err = rd.Export(&s.ID, last, page)
			return err
		})
		for i := range list {
			if err == nil {
				err = x.conversation(&list[i])
			}
		}
		if len(list) < page {
			break
		}
	}
	return x.done, errors.Join(err, x.zip.Close())
}

type exporter struct {
	ctx    context.Context
	engine *engine.Engine
	zip    *zip.Writer
	done   Done
}

func (x *exporter) json(name string, v any) error {
	w, err := x.zip.Create(name)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(v)
}

// site writes site.json.
func (x *exporter) site(base Knowledge, s *chat.Site, publicKey string) error {
	m := manifest{Format: format, ExportedAt: chat.Now(), Settings: x.engine.SettingsOf(s.ID).Movable(), Answers: []answer{}, Knowledge: []source{}, People: []person{},
		Site: site{ID: s.PublicID(), Name: s.Label(), Address: s.Address, Color: s.Color, PublicKey: publicKey, Origins: append([]string{}, s.Origins.V...)}}
	err := x.engine.Store.Read(x.ctx, func(rd chat.Reader) error {
		answers, err := rd.SavedAnswers("")
		for _, a := range answers {
			if a.Owner == "" && a.Site == s.ID {
				m.Answers = append(m.Answers, answer{a.Name, a.Content, a.SavedBy})
			}
		}
		people, failed := rd.People()
		for _, p := range people {
			if p.Sites != nil && p.Sites.Has(s.ID) {
				m.People = append(m.People, person{p.Name, p.Role})
			}
		}
		return errors.Join(err, failed, m.hooks(rd, s.ID), m.actions(rd, s.ID))
	})
	if err == nil {
		err = chat.EachContact(x.ctx, x.engine.Store, s.ID, func(c *chat.Contact) error {
			m.Contacts = append(m.Contacts, c.Written())
			return nil
		})
	}
	if err != nil {
		return err
	}
	sources, err := base.Sources(x.ctx)
	if err != nil {
		return err
	}
	for i := range sources {
		known := &sources[i]
		if known.Site != s.ID {
			continue
		}
		moved := source{Kind: known.Kind, Title: known.Title, URL: known.URL}
		if known.Kind == chat.KnowledgeText || known.Kind == chat.KnowledgeFile {
			if moved.Text, err = base.SourceText(x.ctx, known.ID); err != nil {
				return err
			}
		}
		m.Knowledge = append(m.Knowledge, moved)
	}
	return x.json(siteFile, m)
}

// conversation writes a session with its messages and files.
func (x *exporter) conversation(s *chat.Session) error {
	c := conversation{Session: sessionOf(s), Messages: []message{}, Timeline: []entry{}, Files: []file{}}
	err := x.engine.Store.Read(x.ctx, func(rd chat.Reader) error {
		for q := (chat.MessageQuery{SessionID: s.ID, Limit: page, After: -1}); ; {
			list, err := rd.Messages(q)
			if err != nil {
				return err
			}
			for _, m := range list {
				c.Messages = append(c.Messages, message{m.Seq, m})
				q.After = m.Seq
			}
			if len(list) < page {
				break
			}
		}
		entries, err := rd.Timeline(s.ID, 0, 0, maxEntries)
		for _, t := range entries {
			c.Timeline = append(c.Timeline, entry{t.Rev, t.Type, t.At, t.Data})
		}
		return err
	})
	if err != nil {
		return err
	}
	if c.Files, err = x.files(&c); err != nil {
		return err
	}
	x.done.Conversations++
	x.done.Messages += len(c.Messages)
	return x.json(fmt.Sprintf("%s%06d.json", conversationsDir, x.done.Conversations), c)
}

// files writes the files of a conversation's messages, and returns them. One that is gone is
// taken out of its message: an operator may have deleted it.
func (x *exporter) files(c *conversation) ([]file, error) {
	written := []file{}
	for i := range c.Messages {
		m := &c.Messages[i].Message
		left := slices.Clone(m.Attachments.V)
		for _, a := range m.Attachments.V {
			content, err := x.engine.Open(x.ctx, a.ID)
			if errors.Is(err, chat.ErrAttachmentNotFound) {
				left = slices.DeleteFunc(left, func(other chat.Attachment) bool { return other.ID == a.ID })
				continue
			}
			if err != nil {
				return nil, err
			}
			w, err := x.zip.Create(filesDir + a.ID)
			if err == nil {
				_, err = io.Copy(w, content)
			}
			if err != nil {
				return nil, err
			}
			written = append(written, file{ID: content.ID, MessageID: m.ID, Uploader: content.Uploader, Size: content.Size, CreatedAt: content.CreatedAt,
				MimeType: content.MimeType, Filename: content.Filename})
			x.done.Files++
		}
		m.Attachments = chat.Of(left)
	}
	return written, nil
}
