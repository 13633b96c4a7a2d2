package moving

import (
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

// action is what the AI may do beside answering. Its secret does not move.
type action struct {
	Name       string   `json:"name"`
	About      string   `json:"about"`
	Method     string   `json:"method"`
	URL        string   `json:"url"`
	Parameters chat.Raw `json:"parameters"`
	Identity   string   `json:"identity,omitempty"`
	Owner      string   `json:"owner,omitempty"`
	ByEmail    bool     `json:"byEmail,omitempty"`
	Verified   bool     `json:"verified"`
	Changes    bool     `json:"changes"`
	Repeats    bool     `json:"repeats"`
	Header     string   `json:"header"`
	HasSecret  bool     `json:"hasSecret"`
}

// actions adds a site's actions to what is exported.
func (m *manifest) actions(rd chat.Reader, site string) error {
	all, err := rd.Actions()
	for i := range all {
		if a := &all[i]; a.Site == site {
			m.Actions = append(m.Actions, action{a.Name, a.About, a.Method, a.URL, a.Parameters, a.Identity, a.Owner, a.ByEmail, a.Verified, a.Changes, a.Repeats, a.Header, a.Secret != ""})
		}
	}
	return err
}

// actions makes the actions that the site does not have yet. They are paused: a person gives them
// their secrets, and who resumes one has its address and parameters checked.
func (m *importer) actions(site string) error {
	var have []chat.Action
	err := m.engine.Store.ReadOne(m.ctx, func(rd chat.Reader) (err error) {
		have, err = rd.Actions()
		return err
	})
	known := map[string]bool{}
	for i := range have {
		known[have[i].Site+" "+have[i].Name] = true
	}
	for i := range m.archive.manifest.Actions {
		if a := &m.archive.manifest.Actions[i]; err == nil && !known[site+" "+a.Name] {
			err = m.action(site, a)
		}
	}
	return err
}

func (m *importer) action(site string, a *action) error {
	now := chat.Now()
	made := chat.Action{ID: chat.NewID(), Site: site, Name: a.Name, About: a.About, Method: a.Method, URL: a.URL, Parameters: a.Parameters, Identity: a.Identity, Owner: a.Owner,
		ByEmail: a.ByEmail, Verified: a.Verified, Changes: a.Changes, Repeats: a.Repeats, Header: a.Header, MadeBy: chat.AuditName(m.opts.By), CreatedAt: now, ChangedAt: now, PausedAt: now}
	err := made.Check()
	if err == nil {
		err = m.engine.Store.Apply(m.ctx, func(tx chat.Tx) error { return tx.PutAction(&made) })
	}
	var refused *chat.Error
	shown := chat.Clip(chat.OneLine(a.Name), 80)
	switch {
	case errors.As(err, &refused):
		m.note("The AI's action “%s” was not taken over: %s", shown, refused.Text)
	case err != nil:
		return err
	case a.HasSecret:
		m.note("The AI's action “%s” is paused: give it its secret under Settings → AI, then resume it.", shown)
	default:
		m.note("The AI's action “%s” is paused: look at it under Settings → AI, then resume it.", shown)
	}
	return nil
}
