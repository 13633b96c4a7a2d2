package server

import (
	"encoding/json"
	"hash/fnv"
	"io/fs"
	"net/http"
	"slices"
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

// hiding is the loader of a relay where websites hide their widget on some pages or outside
// their business hours: the rules stand behind it in the same file, so that a page asks
// nothing before a click.
type hiding struct {
	*static
	engine *engine.Engine
	keys   *keyring.Ring

	mu     sync.Mutex
	madeAt time.Time
	rules  string
	file   *staticFile // nil: no website hides anything
}

// hidingRule is when one website hides its widget, as assets/widget/loader/hiding.ts reads it.
type hidingRule struct {
	Pages []string    `json:"pages,omitempty"`
	Open  *[][2]int64 `json:"open,omitempty"`
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
	rules := h.all()
	switch text := string(chat.MustJSON(rules)); {
	case len(rules) == 0:
		h.file, h.rules = nil, ""
	case text != h.rules:
		h.file, h.rules = newStaticFile(contentTypes[".js"], func() []byte { return withRules(text) }), text
	}
	return h.file
}

// withRules is the loader with the script that hides it, and its rules.
func withRules(rules string) []byte {
	loader, _ := fs.ReadFile(assets.Dist(), "widget.js") // both are built in
	script, _ := fs.ReadFile(assets.Dist(), "hiding.js")
	return slices.Concat(loader, []byte("\nvar relayHiding="+rules+";\n"), script)
}

// all are the rules of the websites by a number made of their public key, so that none sees
// the keys of others.
func (h *hiding) all() map[string]hidingRule {
	rules := map[string]hidingRule{}
	for _, site := range h.engine.Sites().All() {
		if rule, hides := h.ruleOf(site.ID); hides {
			number := fnv.New32a()
			_, _ = number.Write([]byte(h.keys.PublicOf(&site))) // it never fails
			rules[strconv.FormatUint(uint64(number.Sum32()), 10)] = rule
		}
	}
	return rules
}

func (h *hiding) ruleOf(site string) (rule hidingRule, hides bool) {
	settings := h.engine.SettingsOf(site)
	_ = json.Unmarshal([]byte(settings.Value("hiddenPages")), &rule.Pages) // it was checked
	if settings.Text("outsideHours") == chat.OutsideHide && settings.Value("businessHours") != "" {
		open := [][2]int64{}
		for _, o := range h.engine.Openings(site) {
			open = append(open, [2]int64{int64(o.From), int64(o.To)})
		}
		rule.Open = &open
	}
	return rule, len(rule.Pages) > 0 || rule.Open != nil
}
