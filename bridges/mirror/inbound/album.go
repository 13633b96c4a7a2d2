package inbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
)

// A message is made of one platform message or, for an album, of several: of their texts
// in the order of their ids, and of a line for each file that relay could not take.

// wholeText is a message's text after an edit of one of its platform messages: "" when it
// was edited elsewhere, so that nobody knows whose each word is.
type wholeText struct {
	text string
	said []chat.Link // its platform messages, as they are then
}

// whole returns the text of a message one of whose platform messages has this text now.
func (ev *event) whole(ctx context.Context, m *chat.Message, text string) (w wholeText, err error) {
	links, err := ev.thread.links(ctx, m.ID)
	if err != nil {
		return w, err
	}
	origins := slices.DeleteFunc(links, func(l chat.Link) bool { return !l.Origin })
	if len(origins) <= 1 {
		_, missing := cutMissing(m.Content)
		return wholeText{text: text + missing}, nil
	}
	return ev.wholeAlbum(origins, m.Content, text), nil
}

// wholeAlbum is whole for an album.
func (ev *event) wholeAlbum(origins []chat.Link, content, text string) (w wholeText) {
	var lines []string
	rest, missing := cutMissing(content)
	for _, l := range origins {
		said := max(l.Said, 0)
		if said > len(rest) || l.Said < 0 {
			return wholeText{}
		}
		words := rest[:said]
		if rest = rest[said:]; said > 0 && rest != "" && !strings.HasPrefix(rest, "\n") {
			return wholeText{}
		}
		if said > 0 {
			rest = strings.TrimPrefix(rest, "\n")
		}
		if l.Remote == ev.Remote {
			words, l.Said = text, len(text)
		}
		if w.said = append(w.said, l); words != "" {
			lines = append(lines, words)
		}
	}
	if rest != "" {
		return wholeText{}
	}
	w.text = strings.Join(lines, "\n") + missing
	return w
}

// cutMissing splits a message's text into what was said and the lines for files that
// relay could not take, each behind its line end.
func cutMissing(content string) (said, missing string) {
	said = content
	for {
		at := strings.LastIndex(said, "\n")
		if line := said[at+1:]; !strings.HasPrefix(line, missingFile) || !strings.HasSuffix(line, "]") {
			return said, content[len(said):]
		}
		if at < 0 {
			return "", "\n" + content
		}
		said = said[:at]
	}
}

// Limits of an album.
const (
	albumWait = 2 * time.Second // how long its messages wait for each other
	maxAlbum  = 20              // messages, more than any platform's has
)

// album collects the messages of an album, once all have had time to arrive.
func (ev *event) album(ctx context.Context) ([]chat.Inbound, error) {
	if wait := ev.update.ReceivedAt.Add(albumWait).Sub(chat.Now()); wait > 0 {
		return nil, &chat.RetryAfter{After: wait, Cause: errors.New("waiting for the rest of an album")}
	}
	lane, err := access.ReadOne(ctx, ev.h.store, func(rd chat.Reader) ([]chat.Update, error) {
		return rd.InboxLane(ev.update.Bridge, ev.update.Thread, maxAlbum)
	})
	if err != nil {
		return nil, err
	}
	parts := []chat.Inbound{ev.Inbound}
	for _, u := range lane {
		others, err := ev.h.platform.Parse(u.Raw)
		if err != nil {
			continue // it is handled, and fails, by itself
		}
		for _, in := range others {
			known := slices.ContainsFunc(parts, func(p chat.Inbound) bool { return p.Remote == in.Remote })
			if in.Kind == chat.InboundMessage && in.Group == ev.Group && in.Thread.Ref == ev.Thread.Ref && !known {
				parts = append(parts, in)
			}
		}
	}
	return parts, nil
}

// captions joins the texts of the messages of an album.
func captions(parts []chat.Inbound) string {
	var lines []string
	for _, in := range parts {
		if in.Text != "" {
			lines = append(lines, in.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// missingFile begins the line that stands for a file that relay could not take.
const missingFile = "[The file "

// missingLine stands for a file that relay could not take.
func missingLine(f chat.InboundFile, why, place string) string {
	return fmt.Sprintf("%s%s %s, see %s]", missingFile, chat.Clip(chat.OneLine(cmp.Or(f.Filename, "file")), 100), why, place)
}
