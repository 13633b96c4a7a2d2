package cli

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Exported counts what is in an export.
type Exported struct{ Sessions, Messages, Files int }

// Export writes the sessions of a visitor, or all of them with "", as a zip: a folder
// per session with session.json, messages.json and its files.
func Export(ctx context.Context, relay *chat.Engine, who string, out io.Writer) (Exported, error) {
	e := exporter{ctx: ctx, relay: relay, zip: zip.NewWriter(out)}
	err := each(ctx, relay.Store, who, e.session)
	return e.done, errors.Join(err, e.zip.Close())
}

type exporter struct {
	ctx   context.Context
	relay *chat.Engine
	zip   *zip.Writer
	done  Exported
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
	for _, m := range messages {
		for _, a := range m.Attachments.V {
			if err := e.file(dir, a.ID); err != nil {
				return err
			}
		}
	}
	return nil
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

// file adds a file, unless it is gone: an operator may have deleted its message.
func (e *exporter) file(dir, id string) error {
	content, err := e.relay.Open(e.ctx, id)
	if errors.Is(err, chat.ErrAttachmentNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	w, err := e.zip.Create(dir + "files/" + safeName(id) + "-" + safeName(content.Filename))
	if err != nil {
		return err
	}
	e.done.Files++
	_, err = io.Copy(w, content)
	return err
}

func (e *exporter) json(name string, v any) error {
	w, err := e.zip.Create(name)
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
