package server

import (
	"encoding/json"
	"hash/fnv"
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

// hiding is the loader of a relay where websites have rules for their pages, hide their widget
// on some or outside their business hours, have a launcher of their own, or show their team who
// is on them: all of it stands in the same file, so that a page asks nothing before a click.
type hiding struct {
	*static
	engine *engine.Engine
	keys   *keyring.Ring

	mu     sync.Mutex
	madeAt time.Time
	made   string      // what the file was made of
	file   *staticFile // nil: no website has any of it
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
	rules, launchers, live := h.all()
	before := scriptOf("own.js", "relayOwn", launchers, len(launchers))
	behind := scriptOf("hiding.js", "relayHiding", rules, len(rules)) + scriptOf("live.js", "relayLive", live, len(live))
	switch made := before + behind; made {
	case "":
		h.file, h.made = nil, ""
	case h.made:
	default:
		h.file, h.made = newStaticFile(contentTypes[".js"], func() []byte { return loaderWith(before, behind) }), made
	}
	return h.file
}

// scriptOf is a script with what it reads of some websites: what makes their launchers, or
// follows their rules.
func scriptOf(file, name string, of any, count int) string {
	if count == 0 {
		return ""
	}
	script, _ := assets.File(file) // it is built in
	return "var " + name + "=" + string(chat.MustJSON(of)) + ";\n" + string(script) + "\n"
}

// loaderWith is the loader with scripts around it.
func loaderWith(before, behind string) []byte {
	loader, _ := assets.File("widget.js") // it is built in
	return slices.Concat([]byte(before), loader, []byte("\n"+behind))
}

// all are the rules and the launchers of the websites, and those that show who is on them, by a
// number made of their public key, so that none sees the keys of others.
func (h *hiding) all() (rules map[string]hidingRule, launchers map[string]chat.Launcher, live []uint32) {
	rules, launchers = map[string]hidingRule{}, map[string]chat.Launcher{}
	for _, site := range h.engine.Sites().All() {
		number := fnv.New32a()
		_, _ = number.Write([]byte(h.keys.PublicOf(&site))) // it never fails
		name, settings := strconv.FormatUint(uint64(number.Sum32()), 10), h.engine.SettingsOf(site.ID)
		if rule, hides := h.ruleOf(site.ID); hides {
			rules[name] = rule
		}
		if own := settings.Launcher(site.ID); own != (chat.Launcher{}) {
			launchers[name] = own
		}
		if settings.Bool("liveVisitors") {
			live = append(live, number.Sum32())
		}
	}
	return rules, launchers, live
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
