package server

import (
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/web"
)

// programRoutes are those beside the admin API: for visitors' agents and incoming hooks.
func (c *community) programRoutes() []web.Route {
	return slices.Concat(c.frontDoorRoutes(), c.incomingRoutes())
}

// assistantRoutes are for assistants, which bring a key like other programs. What they do with
// the scopes of a key, the admin API decides. Some run in pages of other origins.
func (c *community) assistantRoutes() []web.Route {
	operators, _ := c.accounts.Rules(web.MaxAdminBody)
	operators.CORS, operators.Access = web.OpenToPages, c.accounts.Admission.Challenging(operators.Access)
	return []web.Route{web.On("POST", oauth.ResourcePath, operators.Within(web.OwnSites).Needs(chat.AllScopes...), c.assistants.answer)}
}

// frontDoorRoutes are for agents of visitors, with the public key of a site in their address.
func (c *community) frontDoorRoutes() []web.Route {
	agents := web.Rules{Filtered: true, Access: c.agent, Rate: c.Rates.Requests, Body: web.MaxBody}
	reading := web.Rules{Filtered: true, Access: c.agent, Rate: c.Rates.Requests}
	return []web.Route{
		web.On("POST", frontDoorPath+"{key}", agents, c.frontDoor.answer),
		web.On("GET", frontDoorPath+"{key}/llms.txt", reading, c.frontDoor.describe),
	}
}

// incomingRoutes are for programs that have the address of an incoming hook.
func (c *community) incomingRoutes() []web.Route {
	return []web.Route{web.On("POST", incomingPath+"{token}", web.Rules{Body: web.MaxAdminBody}, c.incoming.receive)}
}
