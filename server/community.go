package server

import (
	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/learning"
	"github.com/relay-chat/relay/server/web"
)

// community is the server of community mode, for a website's visitors and its operators:
// the handlers of each audience.
type community struct {
	*Server
	keys          *keyring.Ring
	accounts      *account.Accounts
	reaches       reaches
	widget        *widgetAPI
	visitors      *visitorStreams
	files         *fileAPI
	conversations *conversationAPI
	operators     *operatorStreams
	settings      *settingsAPI
	sites         *siteAPI
	deliveries    *deliveryAPI
	hooks         *hookAPI
	incoming      *incomingAPI
	learning      *learning.API
	statistics    *statisticsAPI
	data          *dataAPI
	push          *pushAPI
	system        *systemAPI
	pages         *ownPages
	devices       *deviceAPI
	mail          *mailAPI
	assistants    *assistants
	frontDoor     *frontDoor
	static        *static
	hiding        *hiding
}

// NewCommunity makes the server of community mode.
func NewCommunity(cfg config.Config, d Deps, keys *keyring.Ring) (*Server, error) {
	static, err := loadStatic()
	if err != nil {
		return nil, err
	}
	c := newCommunity(newServer(cfg, d, d.Engine.Hub.Close), d, keys)
	c.static, c.hiding = static, &hiding{static: static, engine: d.Engine, keys: keys}
	c.openStreams = func() map[string]int {
		return map[string]int{"visitor": d.Engine.Hub.Open(), "operator": int(c.operators.open.Load())}
	}
	c.Server.accounts = c.accounts
	c.assemble(c.audiences())
	return c.Server, nil
}

func newCommunity(s *Server, d Deps, keys *keyring.Ring) *community {
	engine, team, links := d.Engine, d.Team, keys.Links(s.Config.PublicURL)
	shown := presentation{engine, links}
	audit := web.NewAuditor(team, s.Clients, engine)
	accounts := account.New(account.Parts{Clients: s.Clients, Limiter: s.Limiter, Pages: s.Pages, Audit: audit, Engine: engine, Team: team, Keys: keys, SignOn: d.SignOn, Documents: d.Documents, Log: d.Log})
	s.Pages.Language = accounts.Language
	settings := &settingsAPI{accounts.Passwords, audit, engine, team, keys, d.Bridges, d.Webhook, d.AI}
	pages := &ownPages{accounts.SignIns, s.Pages, engine}
	mails := MailLinksBy(keys, s.Config.PublicURL)
	deliveries := &deliveryAPI{audit, engine, d.Webhook}
	devices := &deviceAPI{s.Limiter, pages, engine, conversationsBy(keys)}
	widget := &widgetAPI{s.Limiter, shown, engine, d.Statistics}
	return &community{
		Server:        s,
		keys:          keys,
		accounts:      accounts,
		reaches:       reaches{engine, team},
		widget:        widget,
		visitors:      &visitorStreams{s.Limiter, s.streams, engine, links},
		files:         &fileAPI{s.Limiter, engine, links},
		conversations: &conversationAPI{shown, audit, engine, d.Search, mails.Key},
		operators:     &operatorStreams{engine: engine, team: team, keys: keys, links: links},
		settings:      settings,
		sites:         &siteAPI{audit, s.Clients, settings, engine, keys, d.Knowledge, d.Search},
		deliveries:    deliveries,
		hooks:         &hookAPI{deliveries, d.Hooks},
		incoming:      newIncomingAPI(s, audit, team, keys, d),
		learning:      learning.New(audit, engine, d.Knowledge, d.Rehearsals, d.Actions),
		statistics:    &statisticsAPI{d.Statistics, engine.Sites},
		data:          &dataAPI{shown, audit, engine, d.Bridges, d.Log},
		push:          &pushAPI{audit, team, d.Push},
		system:        &systemAPI{s.Clients, audit, engine, keys, d.System, d.Bridges, d.Search, d.Version},
		pages:         pages,
		devices:       devices,
		mail:          &mailAPI{s.Limiter, audit, s.Pages, devices, engine, mails, d.Mail},
		assistants:    newAssistants(s, d.Version),
		frontDoor:     newFrontDoor(widget, d.AI, d.Version, s.log),
	}
}
