package telegram

import (
	"fmt"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// media is a message's content beside or instead of text.
type media struct {
	Photo     []file   `json:"photo"` // one picture in several sizes
	Document  *file    `json:"document"`
	Animation *file    `json:"animation"` // comes with the same Document
	Audio     *file    `json:"audio"`
	Video     *file    `json:"video"`
	VideoNote *file    `json:"video_note"`
	Voice     *file    `json:"voice"`
	Sticker   *sticker `json:"sticker"`

	Location *location `json:"location"`
	Venue    *venue    `json:"venue"` // comes with the same Location
	Contact  *contact  `json:"contact"`
	Poll     *poll     `json:"poll"`
	Dice     *dice     `json:"dice"`
	List     *list     `json:"checklist"`
}

type file struct {
	ID     string `json:"file_id"`
	Name   string `json:"file_name"`
	Type   string `json:"mime_type"`
	Size   int64  `json:"file_size"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type sticker struct {
	file
	Emoji    string `json:"emoji"`
	Animated bool   `json:"is_animated"`
	Moving   bool   `json:"is_video"`
	Thumb    *file  `json:"thumbnail"`
}

type location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type venue struct {
	Title   string `json:"title"`
	Address string `json:"address"`
}

type contact struct {
	Phone     string `json:"phone_number"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
}

type poll struct {
	Question string `json:"question"`
}

type list struct {
	Title string `json:"title"`
	Tasks []struct {
		Text string `json:"text"`
	} `json:"tasks"`
}

type dice struct {
	Emoji string `json:"emoji"`
	Value int    `json:"value"`
}

// files returns the message's files. A file without a name gets one by its kind.
func (m *media) files() []chat.InboundFile {
	switch {
	case len(m.Photo) > 0:
		return one(largest(m.Photo), "photo.jpg", "image/jpeg")
	case m.Animation != nil:
		return one(m.Animation, "animation.mp4", "video/mp4")
	case m.Document != nil:
		return one(m.Document, "file", "application/octet-stream")
	case m.Audio != nil:
		return one(m.Audio, "audio.mp3", "audio/mpeg")
	case m.Video != nil:
		return one(m.Video, "video.mp4", "video/mp4")
	case m.VideoNote != nil:
		return one(m.VideoNote, "video.mp4", "video/mp4")
	case m.Voice != nil:
		return one(m.Voice, "voice.ogg", "audio/ogg")
	case m.Sticker != nil:
		return m.Sticker.picture()
	}
	return nil
}

func one(f *file, name, mimeType string) []chat.InboundFile {
	if f.ID == "" {
		return nil
	}
	if f.Name != "" {
		name = f.Name
	}
	if f.Type != "" {
		mimeType = f.Type
	}
	return []chat.InboundFile{{Ref: f.ID, Filename: name, MimeType: mimeType, Size: f.Size}}
}

// largest returns the largest picture that bots can download.
func largest(sizes []file) *file {
	best := &sizes[0]
	for i := range sizes[1:] {
		f := &sizes[i+1]
		if f.Width*f.Height > best.Width*best.Height && f.Size <= maxFetch {
			best = f
		}
	}
	return best
}

// picture returns a sticker as an image. Of an animated one only the preview can
// be shown elsewhere.
func (s *sticker) picture() []chat.InboundFile {
	switch {
	case !s.Animated && !s.Moving:
		return one(&s.file, "sticker.webp", "image/webp")
	case s.Thumb != nil:
		return one(s.Thumb, "sticker.webp", "image/webp")
	}
	return nil
}

// described describes content that is neither text nor file.
func (m *media) described() string {
	switch {
	case m.Venue != nil && m.Location != nil:
		return strings.TrimSpace(fmt.Sprintf("📍 %s, %s", m.Venue.Title, m.Venue.Address)) + "\n" + m.Location.link()
	case m.Location != nil:
		return "📍 " + m.Location.link()
	case m.Contact != nil:
		return fmt.Sprintf("👤 %s: %s", strings.TrimSpace(m.Contact.FirstName+" "+m.Contact.LastName), m.Contact.Phone)
	case m.Poll != nil:
		return "📊 " + m.Poll.Question
	case m.Dice != nil:
		return fmt.Sprintf("%s %d", m.Dice.Emoji, m.Dice.Value)
	case m.List != nil:
		lines := []string{m.List.Title}
		for _, task := range m.List.Tasks {
			lines = append(lines, "☐ "+task.Text)
		}
		return strings.Join(lines, "\n")
	case m.Sticker != nil && len(m.Sticker.picture()) == 0:
		return m.Sticker.Emoji
	}
	return ""
}

func (l *location) link() string {
	return fmt.Sprintf("https://www.openstreetmap.org/?mlat=%.6f&mlon=%.6f", l.Latitude, l.Longitude)
}
