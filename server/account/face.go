package account

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// Limits of a face. The console scales pictures down before it sends them.
const (
	maxFaceBytes  = 256 << 10
	maxFacePixels = 1024 // of each side
)

// avatarOf is the address of a person's picture. It changes with the picture.
func avatarOf(p *chat.Person) string {
	if p.Face == "" {
		return "/faces/" + p.ID
	}
	return "/faces/" + p.ID + "?v=" + p.Face
}

// face answers GET /faces/{id}: a person's picture to everybody, because visitors see it;
// without one, the initials.
func (s *teamAPI) face(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	p, f, err := s.team.People.Face(r.Context(), web.PathVar(r, "id"))
	if err != nil {
		return nil, err
	}
	if len(f.Data) == 0 {
		f = chat.Face{MimeType: "image/svg+xml", Data: initialsImage(p)}
	}
	w.Header().Set("ETag", `"`+chat.Hash(p.Face + p.Name)[:16]+`"`)
	servePicture(w, r, f, p.Face, p.CreatedAt)
	return web.Written{}, nil
}

// picture answers GET /pictures/{site}: what a site's visitors see beside the operators' name, or
// with of=launcher on the launcher, if it was uploaded.
func (s *teamAPI) picture(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	site, err := s.Engine.Sites().Named(web.PathVar(r, "site"))
	if err != nil {
		return nil, err
	}
	p, ok := s.Engine.SettingsOf(site.ID).Picture(r.URL.Query().Get("of"))
	if !ok {
		return nil, errNoPicture
	}
	w.Header().Set("ETag", `"`+p.Version+`"`)
	servePicture(w, r, chat.Face{MimeType: p.MimeType, Data: p.Data}, p.Version, 0)
	return web.Written{}, nil
}

var errNoPicture = &web.Error{Status: http.StatusNotFound, Text: "This website has no picture of its own here"}

// servePicture answers a picture to every page. An address with its version may be kept for long.
func servePicture(w http.ResponseWriter, r *http.Request, f chat.Face, version string, at chat.Time) {
	h := w.Header()
	h.Set("Content-Type", f.MimeType)
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=300")
	if version != "" && r.URL.Query().Get("v") == version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	var modified time.Time
	if at != 0 {
		modified = at.Std()
	}
	http.ServeContent(w, r, "", modified, bytes.NewReader(f.Data))
}

// faceTints are the grounds of initials; white is readable on each.
var faceTints = []string{"#3b5bdb", "#0b7285", "#2b8a3e", "#a61e4d", "#862e9c", "#b35900"}

// initialsImage draws a person's initials.
func initialsImage(p chat.Person) []byte {
	sum := 0
	for _, c := range p.ID {
		sum += int(c)
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="%s"/>`+
		`<text x="32" y="32" dy=".36em" text-anchor="middle" font-family="system-ui,sans-serif" font-size="26" font-weight="600" fill="#fff">%s</text></svg>`,
		faceTints[sum%len(faceTints)], html.EscapeString(initials(p.Name)))
}

// initials are the first letters of the first and the last word.
func initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) > 2 {
		words = []string{words[0], words[len(words)-1]}
	}
	out := ""
	for _, w := range words {
		out += string([]rune(w)[:1])
	}
	return strings.ToUpper(out)
}

// putFace answers PUT /api/admin/me/face: the body is the picture.
func (s *teamAPI) putFace(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if by.Person == "" {
		return nil, errNoAccount
	}
	data, err := web.ReadBody(r)
	if errors.Is(err, web.ErrTooLarge) {
		return nil, chat.Errorf(chat.TooLarge, "A picture must be at most %d KB", maxFaceBytes>>10)
	}
	if err != nil {
		return nil, err
	}
	mimeType, err := checkFace(data)
	if err != nil {
		return nil, err
	}
	return s.changeFace(r, by, chat.Face{MimeType: mimeType, Data: data})
}

// checkFace returns the type of a picture that browsers may show.
func checkFace(data []byte) (mimeType string, err error) {
	mimeType = http.DetectContentType(data)
	switch mimeType {
	case "image/png", "image/jpeg", "image/webp":
	default:
		return "", chat.Errorf(chat.Unsupported, "A picture must be a PNG, JPEG or WebP file")
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width < 1 || config.Height < 1 {
		return "", web.BadRequest("The picture is damaged")
	}
	if config.Width > maxFacePixels || config.Height > maxFacePixels {
		return "", chat.Errorf(chat.TooLarge, "A picture must be at most %d by %[1]d pixels", maxFacePixels)
	}
	return mimeType, nil
}

// deleteFace answers DELETE /api/admin/me/face.
func (s *teamAPI) deleteFace(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if by.Person == "" {
		return nil, errNoAccount
	}
	return s.changeFace(r, by, chat.Face{})
}

func (s *teamAPI) changeFace(r *http.Request, by chat.Author, face chat.Face) (any, error) {
	p, err := s.team.People.PutFace(r.Context(), by.Person, face)
	if err == nil {
		s.Audit(r, by, chat.AuditPersonChanged, p.Name, "picture")
	}
	return viewMe(p), err
}
