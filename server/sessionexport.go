package server

import (
	"encoding/json"
	"io"
	"net/http"
	"sort"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// mostExportedEntries bounds the timeline in the export of a session.
const mostExportedEntries = 10_000

// sessionFor reads the session of a request as operators see it.
func (s *dataAPI) sessionFor(r *http.Request) (session chat.Session, view sessionView, err error) {
	err = s.engine.Store.Read(r.Context(), func(rd chat.Reader) (err error) {
		if session, err = rd.Session(web.PathVar(r, "session")); err != nil {
			return err
		}
		views, err := s.views(rd, []chat.Session{session})
		if err == nil {
			view = views[0]
		}
		return err
	})
	return session, view, err
}

// eachMessage calls use with all messages of a session, the oldest first, some at a time.
func (s *dataAPI) eachMessage(r *http.Request, sessionID string, public bool, use func(*chat.Message) error) error {
	q := chat.MessageQuery{SessionID: sessionID, Limit: exportPage, After: -1, Public: public}
	for {
		var list []chat.Message
		err := s.engine.Store.Read(r.Context(), func(rd chat.Reader) (err error) {
			list, err = rd.Messages(q)
			return err
		})
		if err != nil {
			return err
		}
		for i := range list {
			q.After = list[i].Seq
			if err := use(&list[i]); err != nil {
				return err
			}
		}
		if len(list) < exportPage {
			return nil
		}
	}
}

// eachExported is eachMessage for all messages, as exports have them.
func (s *dataAPI) eachExported(r *http.Request, sessionID string, use func(*chat.Message) error) error {
	return s.eachMessage(r, sessionID, false, func(m *chat.Message) error {
		shown := s.showFiles([]chat.Message{*m})[0]
		shown.ClientID = ""
		return use(&shown)
	})
}

// exportOne answers GET /api/admin/sessions/{session}/export: all of a session as JSON.
func (s *dataAPI) exportOne(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	session, view, err := s.sessionFor(r)
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditExported, session.ID, "as JSON")
	web.Attachment(w, "application/json", "relay-conversation-"+session.CreatedAt.Std().Format(time.DateOnly)+".json")
	out := web.Patient(w)
	if err := s.writeSession(r, out, &session, view); err != nil {
		return cutExport(s.log, r, err)
	}
	return web.Written{}, nil
}

func (s *dataAPI) writeSession(r *http.Request, out io.Writer, session *chat.Session, view sessionView) error {
	view.LastMessage = nil
	if _, err := out.Write(append(append([]byte(`{"session":`), chat.MustJSON(view)...), `,"messages":[`...)); err != nil {
		return err
	}
	var seqs []int64
	var ids []string
	err := s.eachExported(r, session.ID, func(m *chat.Message) error {
		text := []byte{}
		if len(ids) > 0 {
			text = append(text, ',')
		}
		seqs, ids = append(seqs, m.Seq), append(ids, m.ID)
		_, err := out.Write(m.AppendJSON(text))
		return err
	})
	if err != nil {
		return err
	}
	entries, err := s.entriesOf(r, session.ID, seqs, ids)
	if err == nil {
		_, err = out.Write(append(append([]byte(`],"timeline":`), chat.MustJSON(entries)...), "}\n"...))
	}
	return err
}

// entriesOf reads the timeline of a session, each entry behind one of the messages with these
// revisions.
func (s *dataAPI) entriesOf(r *http.Request, sessionID string, seqs []int64, ids []string) ([]chat.TimelineEntry, error) {
	entries := []chat.TimelineEntry{}
	err := s.engine.Store.ReadOne(r.Context(), func(rd chat.Reader) error {
		list, err := rd.Timeline(sessionID, 0, 0, mostExportedEntries)
		entries = append(entries, list...)
		return err
	})
	for i := range entries {
		if n := sort.Search(len(seqs), func(at int) bool { return seqs[at] > entries[i].Rev }); n > 0 {
			entries[i].After = ids[n-1]
		}
		if !json.Valid(entries[i].Data) {
			entries[i].Data = chat.Raw("{}")
		}
	}
	return entries, err
}
