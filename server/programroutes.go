package server

import (
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/oauth"
)

// programRoutes are those beside the admin API: for assistants, visitors' agents and incoming hooks.
func (c *community) programRoutes() []route {
	return slices.Concat(c.assistantRoutes(), c.oauthRoutes(), c.frontDoorRoutes(), c.incomingRoutes())
}

// assistantRoutes are for assistants, which bring a key like other programs. What they do with
// the scopes of a key, the admin API decides.
func (c *community) assistantRoutes() []route {
	operators, _ := c.operatorRules(maxAdminBody)
	operators.access = c.admission.challenging(operators.access)
	return []route{{"POST", oauth.ResourcePath, operators.within(ownSites).needs(chat.AllScopes...), c.assistants.answer}}
}

// oauthRoutes are for programs that people give access to relay's assistants' address.
func (c *community) oauthRoutes() []route {
	programs := rules{rate: c.rates.Requests, body: maxOAuthBody}
	pages := rules{page: true, rate: c.rates.Requests}
	return []route{
		{"GET", oauth.ResourceMetadataPath, rules{}, c.oauth.resourceMetadata},
		{"GET", oauth.ServerMetadataPath, rules{}, c.oauth.serverMetadata},
		{"POST", oauth.RegisterPath, programs, c.oauth.register},
		{"POST", oauth.TokenPath, programs, c.oauth.token},
		{"POST", oauth.RevokePath, programs, c.oauth.revoke},
		{"GET", oauth.AuthorizePath, pages, pageAction(c.oauth.authorize)},
		{"GET", connectPath, pages, pageAction(c.oauth.connectPage)},
		{"POST", connectPath, pages, pageAction(c.oauth.decide)},
	}
}

// frontDoorRoutes are for agents of visitors, with the public key of a site in their address.
func (c *community) frontDoorRoutes() []route {
	agents := rules{filtered: true, access: c.agent, rate: c.rates.Requests, body: maxBody}
	reading := rules{filtered: true, access: c.agent, rate: c.rates.Requests}
	return []route{
		{"POST", frontDoorPath + "{key}", agents, c.frontDoor.answer},
		{"GET", frontDoorPath + "{key}/llms.txt", reading, c.frontDoor.describe},
	}
}

// incomingRoutes are for programs that have the address of an incoming hook.
func (c *community) incomingRoutes() []route {
	return []route{{"POST", incomingPath + "{token}", rules{body: maxAdminBody}, c.incoming.receive}}
}
