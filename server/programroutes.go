package server

import (
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/web"
)

// programRoutes are those beside the admin API: for assistants, visitors' agents and incoming hooks.
func (c *community) programRoutes() []web.Route {
	return slices.Concat(c.assistantRoutes(), c.oauthRoutes(), c.frontDoorRoutes(), c.incomingRoutes())
}

// assistantRoutes are for assistants, which bring a key like other programs. What they do with
// the scopes of a key, the admin API decides.
func (c *community) assistantRoutes() []web.Route {
	operators, _ := c.operatorRules(web.MaxAdminBody)
	operators.Access = c.admission.challenging(operators.Access)
	return []web.Route{web.On("POST", oauth.ResourcePath, operators.Within(web.OwnSites).Needs(chat.AllScopes...), c.assistants.answer)}
}

// oauthRoutes are for programs that people give access to relay's assistants' address.
func (c *community) oauthRoutes() []web.Route {
	programs := web.Rules{Rate: c.Rates.Requests, Body: maxOAuthBody}
	pages := web.Rules{Page: true, Rate: c.Rates.Requests}
	return []web.Route{
		web.On("GET", oauth.ResourceMetadataPath, web.Rules{}, c.oauth.resourceMetadata),
		web.On("GET", oauth.ServerMetadataPath, web.Rules{}, c.oauth.serverMetadata),
		web.On("POST", oauth.RegisterPath, programs, c.oauth.register),
		web.On("POST", oauth.TokenPath, programs, c.oauth.token),
		web.On("POST", oauth.RevokePath, programs, c.oauth.revoke),
		web.On("GET", oauth.AuthorizePath, pages, web.Page(c.oauth.authorize)),
		web.On("GET", connectPath, pages, web.Page(c.oauth.connectPage)),
		web.On("POST", connectPath, pages, web.Page(c.oauth.decide)),
	}
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
