package server

import (
	"net/http"

	_ "golang.org/x/image/webp" // for image.DecodeConfig

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

func (s *fileAPI) widgetUpload(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	leave, err := s.EnterTransfer(r, &s.Rates.AddressUploads)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.upload(w, r, by, r.URL.Query().Get("sessionId"))
}

func (s *fileAPI) adminUpload(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return s.upload(w, r, by, web.PathVar(r, "session"))
}

// upload stores the file of a multipart form in chunks. The form's
// sessionId is used unless the path names the session.
func (s *fileAPI) upload(w http.ResponseWriter, r *http.Request, by chat.Author, sessionID string) (any, error) {
	boundary, err := web.FormBoundary(r)
	if err != nil {
		return nil, err
	}
	rules, err := s.rules(r, by, sessionID)
	if err != nil {
		return nil, err
	}
	body := web.NewPatientReader(web.LimitedBody(r, rules.MaxBytes+web.FormOverhead), w)
	defer body.End()
	form := web.NewForm(body, boundary, sessionID)
	if err := form.Read(); err != nil {
		return nil, web.FormError(err)
	}
	if err := web.Required("sessionId", form.SessionID); err != nil {
		return nil, err
	}
	if form.File == nil {
		return nil, web.BadRequest("file is required")
	}
	if err := s.mayUpload(w, r, by, form.SessionID, rules.MaxBytes); err != nil {
		return nil, err
	}
	a, err := s.engine.Upload(r.Context(), by, form.SessionID, form.Filename, form.File)
	if err != nil {
		return nil, web.UploadError(err)
	}
	a.URL = s.links.URL(&a, chat.Now().Add(chat.LinkLife))
	return a, nil
}

// rules are those for the files of a session, whose id may still be in the form.
func (s *fileAPI) rules(r *http.Request, by chat.Author, sessionID string) (chat.AttachmentRules, error) {
	settings, err := s.engine.SettingsIn(r.Context(), by, sessionID)
	if err != nil {
		return chat.AttachmentRules{}, err
	}
	rules := settings.AttachmentRules()
	if !rules.Enabled {
		err = chat.ErrAttachmentsOff
	}
	return rules, err
}

// mayUpload counts a visitor's upload against its limits. Uploads that are not
// allowed anyway are not counted.
func (s *fileAPI) mayUpload(w http.ResponseWriter, r *http.Request, by chat.Author, sessionID string, maxBytes int64) error {
	if by.Sender != chat.SenderVisitor {
		return nil
	}
	if err := s.engine.MayUpload(r.Context(), by, sessionID); err != nil {
		return err
	}
	if err := s.Limited(w, r, s.Rates.Uploads, s.VisitorKey(r, sessionID)); err != nil {
		return err
	}
	if err := s.Limited(w, r, s.Rates.UploadsOfAddress, s.Address(r)); err != nil {
		return err
	}
	return s.MayBring(r, maxBytes)
}
