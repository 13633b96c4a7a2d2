package server

import (
	"encoding/json"
	"hash/fnv"
	"io/fs"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
)

// hidingAge is how long the rules of a loader are sent before they are made again.
const hidingAge = 30 * time.Second

// hiding is the loader of a relay where websites have rules for their pages, hide their widget
// on some or outside their business hours, or have a launcher of their own: all of it stands
// in the same file, so that a page asks nothing before a click.
type hiding struct {
	*static
	engine *engine.Engine
	keys   *keyring.Ring

	mu     sync.Mutex
	madeAt time.Time
	made   string      // what the file was made of
	file   *staticFile // nil: no website has rules or a launcher of its own
}

// hidingRule is when one website shows, hides and opens its widget, as assets/widget/loader/hiding.ts reads it.
type hidingRule struct {
	Rules []chat.PageRule `json:"rules,omitempty"`
	Pages []string        `json:"pages,omitempty"`
	Open  *[][2]int64     `json:"open,omitempty"`
}

// loader answers GET /widget.js.
func (h *hiding) loader(w http.ResponseWriter, r *http.Request) {
	if file := h.current(); file != nil {
		file.serve(w, r, cacheLoader)
		return
	}
	h.widgetLoader(w, r)
}

// current is the loader with the rules of this moment, nil without any.
func (h *hiding) current() *staticFile {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.madeAt) < hidingAge {
		return h.file
	}
	h.madeAt = time.Now()
	rules, launchers := h.all()
	switch text := string(chat.MustJSON([]any{launchers, rules})); {
	case len(rules) == 0 && len(launchers) == 0:
		h.file, h.made = nil, ""
	case text != h.made:
		h.file, h.made = newStaticFile(contentTypes[".js"], func() []byte { return loaderWith(rules, launchers) }), text
	}
	return h.file
}

// loaderWith is the loader with the scripts that sites need: before it the one that makes
// their launchers, behind it the one that follows their rules.
func loaderWith(rules map[string]hidingRule, launchers map[string]chat.Launcher) (file []byte) {
	add := func(name, script string) {
		data, _ := fs.ReadFile(assets.Dist(), script) // it is built in
		file = append(file, name...)
		file = append(file, data...)
	}
	if len(launchers) > 0 {
		add("var relayOwn="+string(chat.MustJSON(launchers))+";\n", "own.js")
	}
	add("", "widget.js")
	if len(rules) > 0 {
		add("\nvar relayHiding="+string(chat.MustJSON(rules))+";\n", "hiding.js")
	}
	return file
}

// all are the rules and the launchers of the websites by a number made of their public key,
// so that none sees the keys of others.
func (h *hiding) all() (map[string]hidingRule, map[string]chat.Launcher) {
	rules, launchers := map[string]hidingRule{}, map[string]chat.Launcher{}
	for _, site := range h.engine.Sites().All() {
		number := fnv.New32a()
		_, _ = number.Write([]byte(h.keys.PublicOf(&site))) // it never fails
		name := strconv.FormatUint(uint64(number.Sum32()), 10)
		if rule, hides := h.ruleOf(site.ID); hides {
			rules[name] = rule
		}
		if own := h.engine.SettingsOf(site.ID).Launcher(site.ID); own != (chat.Launcher{}) {
			launchers[name] = own
		}
	}
	return rules, launchers
}

func (h *hiding) ruleOf(site string) (rule hidingRule, hides bool) {
	settings := h.engine.SettingsOf(site)
	rule.Rules = settings.PageRules()
	_ = json.Unmarshal([]byte(settings.Value("hiddenPages")), &rule.Pages) // it was checked
	if settings.Text("outsideHours") == chat.OutsideHide && settings.Value("businessHours") != "" {
		open := [][2]int64{}
		for _, o := range h.engine.Openings(site) {
			open = append(open, [2]int64{int64(o.From), int64(o.To)})
		}
		rule.Open = &open
	}
	return rule, len(rule.Rules) > 0 || len(rule.Pages) > 0 || rule.Open != nil
}
