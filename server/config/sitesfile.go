package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/relay-chat/relay/server/chat"
)

// ReadSites reads the file that SITES_FILE names, nil without one. Its mistakes come
// together, as [Mistakes], each with its line.
func ReadSites(cfg Config, declared []chat.Setting) (*chat.SitesFile, error) {
	const example = "SITES_FILE=sites.yaml"
	if cfg.SitesFile == "" {
		return nil, nil
	}
	data, err := readFile(cfg.SitesFile)
	if err != nil {
		return nil, Mistakes{{"SITES_FILE", "cannot be read: " + err.Error(), example}}
	}
	r := &sitesReader{path: cfg.SitesFile, settings: chat.SettingsOf(declared, nil, nil), seen: map[string]int{}}
	root, line, err := parseTree(cfg.SitesFile, data)
	if err != nil {
		return nil, Mistakes{{r.where(line) + ":", err.Error(), ""}}
	}
	r.read(root)
	if cfg.PublicKey != "" && r.seen["publicKey "+cfg.PublicKey] > 0 {
		r.wrong(r.seen["publicKey "+cfg.PublicKey], "publicKey is that of the first site (RELAY_PUBLIC_KEY); choose another")
	}
	if len(r.mistakes) > 0 {
		return nil, r.mistakes
	}
	return &chat.SitesFile{Name: filepath.Base(cfg.SitesFile), Sites: r.sites}, nil
}

// sitesReader collects the sites of a file, and its mistakes.
type sitesReader struct {
	path     string
	settings *chat.Settings
	sites    []chat.DeclaredSite
	seen     map[string]int // the lines of ids, names and keys
	mistakes Mistakes
}

func (r *sitesReader) where(line int) string { return fmt.Sprintf("%s line %d", r.path, line) }

func (r *sitesReader) wrong(line int, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{r.where(line) + ":", fmt.Sprintf(format, args...), ""})
}

func (r *sitesReader) read(root *yaml.Node) {
	list := (*yaml.Node)(nil)
	for _, f := range r.fields(root, "the file must begin with sites: and list websites below it") {
		if f.name == "sites" {
			list = f.value
			continue
		}
		r.wrong(f.line, "unknown field “%s”; the file has one, sites, which lists the websites", f.name)
	}
	switch {
	case len(r.mistakes) > 0:
	case list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0:
		r.wrong(max(root.Line, 1), "sites must be a list of websites, each with an id and a name")
	case len(list.Content) > chat.MaxSites:
		r.wrong(list.Line, "there are %d sites; %d is the most", len(list.Content), chat.MaxSites)
	default:
		for _, n := range list.Content {
			r.site(follow(n))
		}
	}
}

// field is one line of a mapping.
type field struct {
	name  string
	line  int
	value *yaml.Node
}

// fields returns what a mapping holds; must says what to write in the place of anything else.
func (r *sitesReader) fields(n *yaml.Node, must string) (list []field) {
	if n.Kind != yaml.MappingNode {
		r.wrong(max(n.Line, 1), "%s", must)
		return nil
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if first := lines[key.Value]; first > 0 {
			r.wrong(key.Line, "%s is given twice, first in line %d", chat.Clip(key.Value, chat.MaxName), first)
			continue
		}
		lines[key.Value] = key.Line
		list = append(list, field{chat.Clip(chat.OneLine(key.Value), chat.MaxName), key.Line, follow(n.Content[i+1])})
	}
	return list
}

// site reads one website.
func (r *sitesReader) site(n *yaml.Node) {
	d := chat.DeclaredSite{Where: r.where(n.Line)}
	lines := map[string]int{}
	id := (*string)(nil)
	for _, f := range r.fields(n, "a site must have fields, like id: shop-berlin") {
		lines[f.name] = f.line
		switch f.name {
		case "id":
			id = r.text(f)
		case "name":
			d.Name = r.text(f)
		case "address":
			d.Address = r.text(f)
		case "color":
			d.Color = r.text(f)
		case "publicKey":
			d.Key = r.text(f)
		case "origins":
			d.Origins = r.texts(f)
		case "settings":
			d.Settings = r.siteSettings(f.value)
		default:
			r.wrong(f.line, "unknown field “%s”; a site has id, name, address, color, publicKey, origins and settings", f.name)
		}
	}
	switch {
	case lines["id"] == 0:
		r.wrong(n.Line, "id is missing: a short name that is kept for ever, like shop-berlin, or main for the first site")
	case id != nil:
		r.check(&d, *id, n.Line, lines)
	}
}

// check checks a site's fields as those of any other, and that no other has the same.
func (r *sitesReader) check(d *chat.DeclaredSite, id string, line int, lines map[string]int) {
	switch {
	case id != chat.FirstSite:
		d.ID = id
		if err := chat.CheckSiteID(id); err != nil {
			r.wrong(lines["id"], "%s", err)
			return
		}
	case d.Key != nil:
		r.wrong(lines["publicKey"], "the first site's key is set by RELAY_PUBLIC_KEY")
		return
	case d.Origins != nil:
		r.wrong(lines["origins"], "the first site's origins are set by ALLOWED_ORIGINS")
		return
	}
	if id != chat.FirstSite && lines["name"] == 0 {
		r.wrong(line, "name is missing: what your team calls the site, like Shop Berlin")
		return
	}
	site := chat.Site{ID: d.ID}
	for _, f := range []struct{ given, field *string }{{d.Name, &site.Name}, {d.Address, &site.Address}, {d.Color, &site.Color}, {d.Key, &site.Key}} {
		if f.given != nil {
			*f.field = *f.given
		}
	}
	if d.Origins != nil {
		site.Origins = chat.Of(*d.Origins)
	}
	if err := site.Check(); err != nil {
		r.wrong(lineOf(err, lines, line), "%s", err)
		return
	}
	r.unique("id", id, lines["id"])
	if d.Name != nil {
		d.Name = &site.Name
		r.unique("name", site.NameKey, lines["name"])
	}
	if d.Key != nil {
		r.unique("publicKey", site.Key, lines["publicKey"])
	}
	if d.Address != nil {
		d.Address = &site.Address
	}
	if d.Color != nil {
		d.Color = &site.Color
	}
	if d.Origins != nil {
		d.Origins = &site.Origins.V
	}
	r.sites = append(r.sites, *d)
}

// lineOf returns the line of the field that an error is about.
func lineOf(err error, lines map[string]int, site int) int {
	var of *chat.Error
	if errors.As(err, &of) {
		for name := range of.Fields {
			if lines[name] > 0 {
				return lines[name]
			}
		}
	}
	return site
}

func (r *sitesReader) unique(field, value string, line int) {
	key := field + " " + value
	if first := r.seen[key]; first > 0 {
		r.wrong(line, "the site in line %d has this %s already; choose another", first, field)
		return
	}
	r.seen[key] = line
}

// text returns a text that is not empty.
func (r *sitesReader) text(f field) *string {
	n := f.value
	switch {
	case n.Kind != yaml.ScalarNode:
		r.wrong(f.line, "%s must be a text", f.name)
	case n.ShortTag() == "!!null" && f.name == "color":
		r.wrong(f.line, `color is empty: write it in quotes, like "#0b7285", since # begins a comment`)
	case n.ShortTag() == "!!null" || strings.TrimSpace(n.Value) == "":
		r.wrong(f.line, "%s is empty; leave it out instead", f.name)
	default:
		return &n.Value
	}
	return nil
}

func (r *sitesReader) texts(f field) *[]string {
	if f.value.Kind != yaml.SequenceNode {
		r.wrong(f.line, "%s must be a list, like [https://shop.example.com]", f.name)
		return nil
	}
	list := []string{}
	for _, n := range f.value.Content {
		if text := r.text(field{f.name, n.Line, follow(n)}); text != nil {
			list = append(list, *text)
		}
	}
	return &list
}

// siteSettings reads a site's own settings, by the names of the API.
func (r *sitesReader) siteSettings(n *yaml.Node) map[string]chat.Raw {
	n, line, err := merged(n)
	if err != nil {
		r.wrong(line, "%s", err)
		return nil
	}
	own := map[string]chat.Raw{}
	for _, f := range r.fields(n, "settings must have names and values, like welcomeMessage: Hello") {
		value, line, err := toJSON(f.value)
		if err != nil {
			r.wrong(line, "%s: %s", f.name, err)
			continue
		}
		if string(value) == "null" {
			r.wrong(f.line, `%s is empty; leave it out instead, and write colours in quotes, like "#0b7285", since # begins a comment`, f.name)
			continue
		}
		changes, err := r.settings.Changes(map[string]json.RawMessage{f.name: value})
		if err != nil {
			r.wrong(f.line, "%s", err)
			continue
		}
		r.ownSetting(f, changes)
		maps.Copy(own, changes)
	}
	return own
}

// ownSetting refuses settings that are relay's.
func (r *sitesReader) ownSetting(f field, changes map[string]chat.Raw) {
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if r.settings.IsOfSite(name) {
			continue
		}
		place := "in the console under All sites"
		if variable := r.settings.EnvOf(name); variable != "" {
			place = "by " + variable
		}
		r.wrong(f.line, "%s is relay's, the same for all sites; set it %s", f.name, place)
	}
}
