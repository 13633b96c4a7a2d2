package inbound

import (
	"context"
	"slices"
	"strings"

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
	links, err := ev.links(ctx, m.ID)
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

// saveSaid stores what the platform messages of an album say.
func (ev *event) saveSaid(ctx context.Context, links []chat.Link) error {
	if len(links) == 0 {
		return nil
	}
	return ev.store(ctx, nil, links)
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
