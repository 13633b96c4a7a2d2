package bundle

import (
	"fmt"
	"path/filepath"

	"github.com/relay-chat/relay/assets/build/openapi"
	"github.com/relay-chat/relay/schema"
)

// cards are what /docs begins with: what people want to do, and the guides for it.
var cards = []struct {
	title, text string
	guides      []string
}{
	{"Start", "Run relay on your computer and answer your first message.", []string{"start"}},
	{"Your website", "Put the chat on your pages and make it look like yours.", []string{"widget", "customise", "sites"}},
	{"Channels", "Answer from Telegram, Discord, Slack or by e-mail.", []string{"telegram", "discord", "slack", "mail"}},
	{"AI", "Let an AI answer from your own pages while nobody is there.", []string{"ai", "knowledge", "assistants", "agents"}},
	{"Team", "Invite people, choose what they may do and how they sign in.", []string{"team", "single-sign-on"}},
	{"Programs", "Let scripts, shops and other services read and write.", []string{"keys", "webhooks", "hooks"}},
	{"Operations", "Run, back up and upgrade relay, and protect visitors' data.", []string{"operations", "settings", "sizing", "privacy"}},
	{"Developing", "Build on the API, or connect your own backend to the channels.", []string{"api", "bridge-mode"}},
}

// manual is all of /docs.
type manual struct {
	Cards  []card
	API    *openapi.Page
	Index  []placeGroup
	guides []guide // in the order of the cards
}

// card is a card of /docs.
type card struct {
	Title, Text string
	Guides      []guide
}

// docsPage is one page below /docs that is no guide.
type docsPage struct {
	name, source string
	key          string // the value of the template
	value        any
}

// readManual reads everything that /docs shows.
func readManual(root string) (*manual, error) {
	api, err := openapi.Read(schema.OpenAPI)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	guides, err := readGuides(root)
	if err != nil {
		return nil, err
	}
	settings, err := readSettings(root, api)
	if err != nil {
		return nil, err
	}
	m := &manual{API: api}
	if err := m.deal(append(guides, settings)); err != nil {
		return nil, err
	}
	m.Index = m.index()
	return m, nil
}

// deal puts each guide on its card. One without a card would not be found.
func (m *manual) deal(guides []guide) error {
	byName := map[string]guide{}
	for _, g := range guides {
		byName[g.Name] = g
	}
	for _, c := range cards {
		dealt := card{Title: c.title, Text: c.text}
		for _, name := range c.guides {
			g, ok := byName[name]
			if !ok {
				return fmt.Errorf("the card %s names the guide %s, which does not exist or is on another card", c.title, name)
			}
			delete(byName, name)
			dealt.Guides = append(dealt.Guides, g)
			m.guides = append(m.guides, g)
		}
		m.Cards = append(m.Cards, dealt)
	}
	for name := range byName {
		return fmt.Errorf("the guide %s is on no card of /docs: see cards", name)
	}
	return nil
}

// pages are the pages below /docs, the guides included.
func (m *manual) pages() (list []docsPage) {
	for _, g := range m.guides {
		list = append(list, docsPage{g.Name, "pages/guide.html", "Guide", g})
	}
	list = append(list, docsPage{"search", "pages/search.html", "Index", m.Index}, docsPage{"reference", "pages/reference.html", "API", m.API})
	for _, g := range m.API.Groups {
		list = append(list, docsPage{g.Page, "pages/reference-group.html", "Group", g})
	}
	for _, t := range m.API.Types {
		list = append(list, docsPage{t.Page, "pages/reference-types.html", "Types", t})
	}
	return list
}

// buildManual executes the templates of /docs. Each page is a file guide-NAME.html;
// what they begin with is docs.html.
func buildManual(root string, values map[string]any) ([]File, error) {
	m, err := readManual(root)
	if err != nil {
		return nil, err
	}
	values["Manual"] = m
	values["Current"] = ""
	home, err := buildPage(values, docsSources(root, "pages/docs.html")...)
	if err != nil {
		return nil, err
	}
	files := []File{{Name: "docs.html", Data: home}}
	for _, p := range m.pages() {
		values["Current"], values[p.key] = p.name, p.value
		page, err := buildPage(values, docsSources(root, p.source)...)
		if err != nil {
			return nil, fmt.Errorf("/docs/%s: %w", p.name, err)
		}
		files = append(files, File{Name: "guide-" + p.name + ".html", Data: page})
	}
	return files, nil
}

// docsSources are a page's template behind what it replaces parts of.
func docsSources(root, source string) []string {
	return []string{filepath.Join(root, layout), filepath.Join(root, "pages/docs-frame.html"), filepath.Join(root, source)}
}
