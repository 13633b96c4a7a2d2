package knowledge

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// maxText is how long a text that is typed in may be, in characters.
const maxText = 200_000

// AddText adds a text, which can be found at once. It may say where people find it. Like
// every source it answers the visitors of a site, or of all with [chat.AllSites].
func (k *Knowledge) AddText(ctx context.Context, site, title, text, address string) (chat.KnowledgeSource, error) {
	return k.addText(ctx, site, title, text, address, nil)
}

// Answer adds a text that answers a question, which is then forgotten with those that ask the same.
// Without a title, the question is the title, without what is personal in it.
func (k *Knowledge) Answer(ctx context.Context, site, question string, alike []string, title, text string) (chat.KnowledgeSource, error) {
	q, err := k.store.Question(ctx, question)
	if err != nil {
		return chat.KnowledgeSource{}, err
	}
	if strings.TrimSpace(title) == "" {
		title = chat.WithoutPersonal(q.Question)
	}
	return k.addText(ctx, site, title, text, "", append([]string{question}, alike...))
}

func (k *Knowledge) addText(ctx context.Context, site, title, text, address string, questions []string) (s chat.KnowledgeSource, err error) {
	title, text = oneLine(title), strings.TrimSpace(clean(text))
	switch {
	case title == "":
		return s, chat.Errorf(chat.Invalid, "title is required")
	case text == "":
		return s, chat.Errorf(chat.Invalid, "text is required")
	case len([]rune(text)) > maxText:
		return s, chat.Errorf(chat.TooLarge, "text may have at most %d characters; add it as a file", maxText)
	}
	if address != "" {
		u, ok := parseAddress(address)
		if !ok {
			return s, errAddress
		}
		address = u.String()
	}
	passages := cutPassages(title, text)
	if len(passages) == 0 {
		return s, chat.Errorf(chat.Invalid, "text has no words")
	}
	s = k.newSource(site, chat.KnowledgeText, title, address)
	s.Pages, s.Passages = 1, len(passages)
	page := chat.SourcePage{URL: address, Title: title, State: chat.PageRead, FetchedAt: s.CreatedAt}
	return s, k.add(ctx, &s, &page, passages, questions)
}

// AddFile adds a file, which is read soon.
func (k *Knowledge) AddFile(ctx context.Context, site, name string, data []byte) (s chat.KnowledgeSource, err error) {
	name = oneLine(path.Base(strings.ReplaceAll(name, `\`, "/")))
	kind, known := fileKinds[strings.ToLower(path.Ext(name))]
	switch {
	case !known:
		return s, chat.Errorf(chat.Unsupported, "%s", sentence(errFileKind))
	case len(data) == 0:
		return s, chat.Errorf(chat.Invalid, "The file is empty")
	case len(data) > chat.MaxKnowledgeFile:
		return s, chat.ErrKnowledgeFile
	case kind == kindPDF && !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")):
		return s, chat.Errorf(chat.Unsupported, "The file is not a PDF, whatever its name says")
	case kind != kindPDF && !isText(data):
		return s, chat.Errorf(chat.Unsupported, "The file is not a text, whatever its name says; save it as text in UTF-8")
	}
	s = k.newSource(site, chat.KnowledgeFile, name, "")
	s.Pages, s.Waiting = 1, 1
	return s, k.add(ctx, &s, &chat.SourcePage{Title: name, File: data}, nil, nil)
}

var errAddress = &chat.Error{Kind: chat.Invalid, Text: "url must be the address of a web page, beginning with https:// or http://"}

// AddPages adds a web page or a sitemap with its pages; with follow, also what the
// page leads to in its folder. A host that the machine's owner names is trusted, which
// means that it may be in a private network, if it is there now: a public name that
// points inside later is not followed there.
func (k *Knowledge) AddPages(ctx context.Context, site, address string, follow, trusted bool) (s chat.KnowledgeSource, err error) {
	u, ok := parseAddress(address)
	if !ok {
		return s, errAddress
	}
	if private, err := refused(u.String(), k.opts.Allowed, trusted); err != nil {
		if private.IsValid() {
			return s, chat.Errorf(chat.Invalid, "url is not allowed: %[1]s is in a private network; add %[1]s to WEBHOOK_ALLOW_CIDRS and restart relay, "+
				"or run: relay knowledge add URL", private)
		}
		return s, chat.Errorf(chat.Invalid, "url is not allowed: %s", err)
	}
	kind := chat.KnowledgePage
	if follow {
		kind = chat.KnowledgeSite
	}
	s = k.newSource(site, kind, u.String(), u.String())
	s.Trusted, s.RefreshAt = trusted && isPrivate(ctx, u.Hostname()), s.CreatedAt.Add(refreshEvery)
	s.Pages, s.Waiting = 1, 1
	return s, k.add(ctx, &s, &chat.SourcePage{URL: u.String(), NextAt: s.CreatedAt}, nil, nil)
}

// isPrivate reports whether a host has an address in a private network.
func isPrivate(ctx context.Context, host string) bool {
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	return err == nil && slices.ContainsFunc(addresses, func(ip netip.Addr) bool {
		return slices.ContainsFunc(guard.Private, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
	})
}

func (k *Knowledge) newSource(site, kind, title, address string) chat.KnowledgeSource {
	return chat.KnowledgeSource{ID: chat.NewID(), Site: site, Kind: kind, Title: title, URL: address, CreatedAt: k.now()}
}

func (k *Knowledge) add(ctx context.Context, s *chat.KnowledgeSource, first *chat.SourcePage, passages []chat.IndexedPassage, questions []string) error {
	err := k.store.AddSource(ctx, s, first, passages, questions)
	k.ring()
	return err
}

// Move makes a source answer the visitors of another site, or of all.
func (k *Knowledge) Move(ctx context.Context, id, site string) error {
	return k.store.MoveSource(ctx, id, site)
}

// Refresh fetches the pages of a source again. Texts and files have none.
func (k *Knowledge) Refresh(ctx context.Context, id string) error {
	s, _, err := k.store.Source(ctx, id)
	if err != nil {
		return err
	}
	if s.RefreshAt == 0 {
		return chat.Errorf(chat.Conflict, "Only web pages are fetched again; add the changed text or file and remove this source")
	}
	err = k.store.RefreshSource(ctx, id, k.now(), k.now().Add(refreshEvery))
	k.ring()
	return err
}

// Sources lists the sources, newest first.
func (k *Knowledge) Sources(ctx context.Context) ([]chat.KnowledgeSource, error) {
	return k.store.Sources(ctx)
}

// Source returns a source with its pages.
func (k *Knowledge) Source(ctx context.Context, id string) (chat.KnowledgeSource, []chat.SourcePage, error) {
	return k.store.Source(ctx, id)
}

// SourceText returns what is known of a text or file.
func (k *Knowledge) SourceText(ctx context.Context, id string) (string, error) {
	passages, err := k.store.SourceTexts(ctx, id)
	return strings.Join(passages, "\n\n"), err
}

// Remove removes a source with all that was read of it.
func (k *Knowledge) Remove(ctx context.Context, id string) error {
	return k.store.RemoveSource(ctx, id)
}

// Questions lists what had no answer, most asked first.
func (k *Knowledge) Questions(ctx context.Context) ([]chat.Question, error) {
	list, err := k.store.Questions(ctx)
	for i := range list { // those of older versions are stored as they were written
		list[i].Question = chat.WithoutPersonal(list[i].Question)
	}
	return list, err
}

// DropQuestion forgets a question.
func (k *Knowledge) DropQuestion(ctx context.Context, id string) error {
	return k.store.DropQuestion(ctx, id)
}

// maxQuestion is how much of a question is kept, in characters.
const maxQuestion = 500

// Unanswered notes a question of a session that had no answer, once more if it was asked before in
// the same context, without what is personal in it.
func (k *Knowledge) Unanswered(ctx context.Context, q chat.Question) error {
	q.ID, q.AskedAt, q.Question, q.Context = chat.NewID(), k.now(), impersonal(q.Question), impersonal(q.Context)
	if q.Question == "" {
		return nil
	}
	key := keyOf(q.Question)
	if q.Context != "" {
		key = keyOf(q.Context) + "\n" + key
	}
	return k.store.AddQuestion(ctx, key, &q)
}

// impersonal is a text of a visitor as it is kept.
func impersonal(text string) string {
	return strings.TrimSpace(clip(strings.TrimSpace(chat.WithoutPersonal(clean(text))), maxQuestion))
}

// keyOf is the same for questions that differ in case, accents and signs only.
func keyOf(question string) string {
	var list []string
	for _, run := range words.Runs(question) {
		list = append(list, words.Fold(run.Text))
	}
	if key := strings.Join(list, " "); key != "" {
		return key
	}
	return question
}

// sentence is an error as people read it.
func sentence(err error) string {
	text := []rune(err.Error())
	var ours *chat.Error
	if len(text) == 0 || errors.As(err, &ours) {
		return string(text)
	}
	return strings.ToUpper(string(text[:1])) + string(text[1:])
}
