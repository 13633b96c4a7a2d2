package server

import (
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// transcriptRequest is the body of POST /api/widget/transcript.
type transcriptRequest struct {
	web.InSession
	Language string `json:"language"`
}

// transcriptAnswer says what becomes of a transcript.
type transcriptAnswer struct {
	Outcome string `json:"outcome"`
	Text    string `json:"text,omitempty"` // for visitors
}

// longestLanguage is that of RFC 5646, 4.4.1.
const longestLanguage = 35

// visitorTranscript answers POST /api/widget/transcript.
func (s *mailAPI) visitorTranscript(w http.ResponseWriter, r *http.Request, by chat.Author, in transcriptRequest) (any, error) {
	if err := s.Limited(w, r, s.Rates.Identifys, s.VisitorKey(r, in.SessionID)); err != nil {
		return nil, err
	}
	if len(in.Language) > longestLanguage {
		return nil, web.BadRequest("language must be a name such as de")
	}
	outcome, err := s.engine.AskTranscript(r.Context(), by, in.SessionID, s.links.Key)
	if err != nil {
		return nil, err
	}
	return transcriptAnswer{outcome, s.mail.TranscriptAnswer(by.Site, in.Language, outcome)}, nil
}

// transcript answers POST /api/admin/sessions/{session}/transcript.
func (s *mailAPI) transcript(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	id := web.PathVar(r, "session")
	outcome, err := s.engine.AskTranscript(r.Context(), by, id, s.links.Key)
	if err != nil {
		return nil, err
	}
	if outcome == chat.MailedWaiting {
		s.Audit(r, by, chat.AuditExported, id, "as a transcript by e-mail")
	}
	return transcriptAnswer{Outcome: outcome}, nil
}
