// Package moving takes a site with all that is its own from one relay to another: as a zip
// with site.json, a file of conversations/ for each conversation, and their files.
package moving

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// format is the version of the files' shape. A relay reads what it knows.
const format = 1

// The names in the zip.
const (
	siteFile         = "site.json"
	conversationsDir = "conversations/"
	filesDir         = "files/"
)

// Knowledge is what a site's AI answers from.
type Knowledge interface {
	Sources(ctx context.Context) ([]chat.KnowledgeSource, error)
	// SourceText returns what is known of a text or file.
	SourceText(ctx context.Context, id string) (string, error)
	AddText(ctx context.Context, site, title, text, address string) (chat.KnowledgeSource, error)
	AddPages(ctx context.Context, site, address string, follow, trusted bool) (chat.KnowledgeSource, error)
}

// manifest is site.json.
type manifest struct {
	Format     int                 `json:"format"`
	ExportedAt chat.Time           `json:"exportedAt"`
	Site       site                `json:"site"`
	Settings   map[string]chat.Raw `json:"settings"` // no secrets
	Answers    []answer            `json:"savedAnswers"`
	Knowledge  []source            `json:"knowledge"`
	People     []person            `json:"people"` // who answers it, to be invited anew
	Hooks      []hook              `json:"webhooks,omitempty"`
	Incoming   []incoming          `json:"incomingHooks,omitempty"`
	Actions    []action            `json:"actions,omitempty"` // of the AI
	// Contacts are what the team wrote down about the site's visitors.
	Contacts []chat.WrittenContact `json:"contacts,omitempty"`
}

type site struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Address   string   `json:"address,omitempty"`
	Color     string   `json:"color,omitempty"`
	PublicKey string   `json:"publicKey"`
	Origins   []string `json:"origins"`
}

type answer struct {
	Name    string `json:"name"`
	Content string `json:"content"`
	SavedBy string `json:"savedBy,omitempty"`
}

type source struct {
	Kind  string `json:"kind"`
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
	Text  string `json:"text,omitempty"` // of texts and files; pages are read again
}

type person struct {
	Name string    `json:"name"`
	Role chat.Role `json:"role"`
}

// conversation is a file of conversations/.
type conversation struct {
	Session  session   `json:"session"`
	Messages []message `json:"messages"`
	Timeline []entry   `json:"timeline"`
	Files    []file    `json:"files"` // each is files/ and its id
}

// session is what moves of a session. Who it was assigned to, and what delivers it, do not.
type session struct {
	ID           string        `json:"id"`
	VisitorID    string        `json:"visitorId"`
	TokenHash    string        `json:"tokenHash,omitempty"`
	Devices      string        `json:"devices,omitempty"`
	Browser      string        `json:"browser,omitempty"`
	Resumable    bool          `json:"resumable"`
	Status       chat.Status   `json:"status"`
	Blocked      bool          `json:"blocked"`
	Rev          int64         `json:"rev"`
	InitRev      int64         `json:"initRev"`
	StartedAt    chat.Time     `json:"startedAt"`
	AnsweredAt   chat.Time     `json:"answeredAt,omitzero"`
	Unread       int           `json:"unread"`
	AIEnded      bool          `json:"aiEnded"`
	Metadata     chat.Metadata `json:"metadata"`
	Identity     chat.Raw      `json:"identity,omitempty"`
	Verified     bool          `json:"verified"`
	PreChat      chat.Raw      `json:"preChat,omitempty"`
	CSAT         chat.CSAT     `json:"csat"`
	CreatedAt    chat.Time     `json:"createdAt"`
	LastActivity chat.Time     `json:"lastActivity"`
	Tags         chat.Tags     `json:"tags"`
	SnoozedUntil chat.Time     `json:"snoozedUntil,omitzero"`
	WaitingSince chat.Time     `json:"waitingSince,omitzero"`
	ContinuedIn  string        `json:"continuedIn,omitempty"`
	Merged       string        `json:"merged,omitempty"`
	MovedOn      chat.MovedOn  `json:"movedOn,omitempty"`
}

func sessionOf(s *chat.Session) session {
	return session{s.ID, s.VisitorID, s.TokenHash, s.Devices, s.Browser, s.Resumable, s.Status, s.Blocked, s.Rev, s.InitRev, s.StartedAt, s.AnsweredAt, s.Unread, s.AIEnded,
		s.Metadata.V, s.Identity, s.Verified, s.PreChat, s.CSAT, s.CreatedAt, s.LastActivity, s.TagList(), s.SnoozedUntil, s.WaitingSince, s.ContinuedIn,
		s.Merged, s.MovedOn}
}

// at returns the session as a relay stores it at a site.
func (s *session) at(site string) chat.Session {
	moved := chat.Session{ID: s.ID, Site: site, VisitorID: s.VisitorID, TokenHash: s.TokenHash, Devices: s.Devices, Browser: s.Browser, Resumable: s.Resumable, Status: s.Status,
		Blocked: s.Blocked, Rev: s.Rev, InitRev: s.InitRev, StartedAt: s.StartedAt, AnsweredAt: s.AnsweredAt, Unread: s.Unread, AIEnded: s.AIEnded,
		Metadata: chat.Of(s.Metadata), Identity: s.Identity, Verified: s.Verified, PreChat: s.PreChat, CSAT: s.CSAT, CreatedAt: s.CreatedAt,
		LastActivity: s.LastActivity, Tags: s.Tags.Stored(), SnoozedUntil: s.SnoozedUntil, WaitingSince: s.WaitingSince, ContinuedIn: s.ContinuedIn,
		Merged: s.Merged, MovedOn: s.MovedOn}
	if s.Verified {
		moved.Person, _ = moved.IdentityFacts()["id"].(string)
	}
	return moved
}

// message is a message with its place in the session.
type message struct {
	Seq int64 `json:"seq"`
	chat.Message
}

type entry struct {
	Rev  int64          `json:"rev"`
	Type chat.EventType `json:"type"`
	At   chat.Time      `json:"at"`
	Data chat.Raw       `json:"data"`
}

type file struct {
	ID        string      `json:"id"`
	MessageID string      `json:"messageId"`
	Uploader  chat.Sender `json:"uploader"`
	Size      int64       `json:"size"`
	CreatedAt chat.Time   `json:"createdAt"`
	MimeType  string      `json:"mimeType"`
	Filename  string      `json:"filename"`

	stored string // the id that it gets
}
