package privacy

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Exported counts what is in an export.
type Exported struct{ Sessions, Messages, Files int }

// maxEntries bounds the timeline of a session in an export.
const maxEntries = 10_000

// Export writes sessions as a zip: a folder per session with session.json, messages.json,
// timeline.json, acts.json if the AI did or asked for something, proof.json if it asked for the proof of
// an e-mail address, and its files; contacts.json with what the team wrote down about the visitor; and index.html, which shows the conversations in a browser.
func Export(ctx context.Context, relay *engine.Engine, list []chat.Session, out io.Writer) (Exported, error) {
	return export(ctx, relay, out, func(use func(*chat.Session) error) (err error) {
		for i := 0; i < len(list) && err == nil; i++ {
			err = use(&list[i])
		}
		return err
	})
}

// ExportAll is [Export] for every session with a message.
func ExportAll(ctx context.Context, relay *engine.Engine, out io.Writer) (Exported, error) {
	return export(ctx, relay, out, func(use func(*chat.Session) error) error { return each(ctx, relay.Store, use) })
}

func export(ctx context.Context, relay *engine.Engine, out io.Writer, sessions func(use func(*chat.Session) error) error) (Exported, error) {
	e := exporter{ctx: ctx, relay: relay, zip: zip.NewWriter(out), keys: map[chat.ContactKey]bool{}}
	err := sessions(e.session)
	e.at = chat.Now()
	if err == nil {
		err = e.contacts()
	}
	if err == nil {
		err = e.index()
	}
	return e.done, errors.Join(err, e.zip.Close())
}

type exporter struct {
	ctx     context.Context
	relay   *engine.Engine
	zip     *zip.Writer
	done    Exported
	listing strings.Builder // of index.html
	at      chat.Time       // of the files that are written
	keys    map[chat.ContactKey]bool
}

// create begins a file of the export, with the time of what it is about.
func (e *exporter) create(name string) (io.Writer, error) {
	return e.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: e.at.Std()})
}

// session is a session as the export shows it.
type session struct {
	ID           string        `json:"id"`
	VisitorID    string        `json:"visitorId"`
	Status       chat.Status   `json:"status"`
	Blocked      bool          `json:"blocked"`
	CreatedAt    chat.Time     `json:"createdAt"`
	LastActivity chat.Time     `json:"lastActivity"`
	Metadata     chat.Metadata `json:"metadata"`
	Identity     chat.Raw      `json:"identity,omitempty"`
	Verified     bool          `json:"verified"`
	PreChat      chat.Raw      `json:"preChat,omitempty"`
	Score        int           `json:"score,omitempty"`
	Comment      string        `json:"comment,omitempty"`
}

func (e *exporter) session(s *chat.Session) error {
	e.done.Sessions++
	e.keys[s.ContactKey()], e.keys[s.DeviceKey()] = true, true
	e.at = s.LastActivity
	dir := fmt.Sprintf("sessions/%s/", safeName(s.ID))
	shown := session{s.ID, s.VisitorID, s.Status, s.Blocked, s.CreatedAt, s.LastActivity, s.Metadata.V, s.Identity, s.Verified, s.PreChat, s.CSAT.Score, s.CSAT.Comment}
	if err := e.json(dir+"session.json", shown); err != nil {
		return err
	}
	messages, err := e.messages(s.ID)
	if err != nil {
		return err
	}
	if err := e.json(dir+"messages.json", messages); err != nil {
		return err
	}
	entries, err := e.timeline(s.ID)
	if err == nil {
		err = e.json(dir+"timeline.json", entries)
	}
	if err != nil {
		return err
	}
	if err := e.mails(dir, s.ID); err != nil {
		return err
	}
	if err := e.acts(dir, s.ID); err != nil {
		return err
	}
	if err := e.proof(dir, s.ID); err != nil {
		return err
	}
	if err := e.conversation(dir, &shown, messages, entries); err != nil {
		return err
	}
	for _, m := range messages {
		for _, a := range m.Attachments.V {
			if err := e.file(dir, a.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// contacts writes what the team wrote down about whose sessions these are, if it did.
func (e *exporter) contacts() error {
	var found map[chat.ContactKey]chat.Contact
	err := e.relay.Store.ReadOne(e.ctx, func(rd chat.Reader) (err error) {
		found, err = rd.Contacts(slices.Collect(maps.Keys(e.keys)))
		return err
	})
	if err != nil || len(found) == 0 {
		return err
	}
	list := make([]chat.WrittenContact, 0, len(found))
	for _, c := range found {
		list = append(list, c.Written())
	}
	slices.SortFunc(list, func(a, b chat.WrittenContact) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
	})
	return e.json("contacts.json", list)
}

// maxMails bounds the e-mails of a session in an export.
const maxMails = 10_000

// mails writes the e-mails that became messages, if there are any.
func (e *exporter) mails(dir, sessionID string) error {
	var list []chat.ReceivedMail
	err := e.relay.Store.Read(e.ctx, func(rd chat.Reader) (err error) {
		list, err = rd.ReceivedMails(sessionID, maxMails)
		return err
	})
	list = slices.DeleteFunc(list, func(m chat.ReceivedMail) bool { return m.MessageID == "" })
	if err != nil || len(list) == 0 {
		return err
	}
	return e.json(dir+"mails.json", list)
}

// maxActs bounds the acts of a session in an export.
const maxActs = 10_000

// act is what the AI did or asked for, with all that it says of the visitor.
type act struct {
	chat.Act
	Arguments string `json:"arguments,omitempty"` // that the model gave
	Person    string `json:"person,omitempty"`    // the visitor's verified id that it was done for
}

// acts writes what the AI did in a session or asked for, if there is anything.
func (e *exporter) acts(dir, sessionID string) error {
	var list []chat.Act
	err := e.relay.Store.ReadOne(e.ctx, func(rd chat.Reader) (err error) {
		list, err = rd.ActsOf(sessionID, maxActs)
		return err
	})
	if err != nil || len(list) == 0 {
		return err
	}
	written := make([]act, len(list))
	for i, a := range list {
		written[i] = act{a, a.Arguments, a.Person}
	}
	return e.json(dir+"acts.json", written)
}

func (e *exporter) messages(sessionID string) (all []chat.Message, err error) {
	q := chat.MessageQuery{SessionID: sessionID, Limit: page, After: -1}
	for {
		var list []chat.Message
		err := e.relay.Store.Read(e.ctx, func(rd chat.Reader) (err error) {
			list, err = rd.Messages(q)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if e.done.Messages += len(list); len(list) < page {
			return all, nil
		}
		q.After = list[len(list)-1].Seq
	}
}

func (e *exporter) timeline(sessionID string) (list []chat.TimelineEntry, err error) {
	err = e.relay.Store.ReadOne(e.ctx, func(rd chat.Reader) (err error) {
		list, err = rd.Timeline(sessionID, 0, 0, maxEntries)
		return err
	})
	return append([]chat.TimelineEntry{}, list...), err
}

// file adds a file, unless it is gone: an operator may have deleted its message.
func (e *exporter) file(dir, id string) error {
	content, err := e.relay.Open(e.ctx, id)
	if errors.Is(err, chat.ErrAttachmentNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	w, err := e.create(fileName(dir, id, content.Filename))
	if err != nil {
		return err
	}
	e.done.Files++
	_, err = io.Copy(w, content)
	return err
}

func fileName(dir, id, name string) string {
	return dir + "files/" + safeName(id) + "-" + safeName(name)
}

func (e *exporter) json(name string, v any) error {
	w, err := e.create(name)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(w)
	lines.SetIndent("", "  ")
	return lines.Encode(v)
}

// safeName keeps a name within its folder when somebody unpacks the export: visitors
// choose the names of files.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	return strings.TrimLeft(name, ".")
}
