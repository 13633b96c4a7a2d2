// Package account knows who makes a request: the people who answer and administer, the ways in
// which they sign in, the keys and programs that work for them, and visitors by the key of their
// site. It has its own rows of the route table.
package account

import (
	"log/slog"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/password"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Accounts are the people who answer and administer, the ways in which they sign in, and the
// programs that work for them.
type Accounts struct {
	Admission *Admission
	SignIns   *SignIns
	Passwords *Passwords
	team      *teamAPI
	passkeys  *passkeyAPI
	signOn    *signOnAPI
	console   *consolePages
	oauth     *oauthAPI
}

// Parts are what accounts work with.
type Parts struct {
	Clients *web.Clients
	Limiter *web.Limiter
	Pages   web.Pages
	Audit   web.Auditor
	Engine  *engine.Engine
	Team    *team.Team
	Keys    *keyring.Ring
	SignOn  SignOn
	// Documents are of programs that connect.
	Documents Documents
	Log       *slog.Logger
}

// New makes the accounts.
func New(p Parts) *Accounts {
	signIns := &SignIns{p.Clients, p.Audit, p.Team, p.Keys, p.Engine.Settings}
	passwords := &Passwords{p.Limiter, password.NewHasher()}
	console := &consolePages{p.Clients, p.Limiter, signIns, passwords, p.Pages, p.Engine, p.Team, p.Log}
	console.Pages.Language = console.language
	return &Accounts{
		Admission: &Admission{p.Clients, p.Limiter, signIns, p.Engine.Sites},
		SignIns:   signIns,
		Passwords: passwords,
		team:      &teamAPI{signIns, passwords, p.Team, p.Engine.Sites},
		passkeys:  &passkeyAPI{p.Clients, p.Limiter, signIns, passwords, p.Team},
		signOn:    &signOnAPI{console, p.SignOn},
		console:   console,
		oauth:     &oauthAPI{console, &described{fetch: p.Documents, log: p.Log}},
	}
}

// Rules are those of routes for operators and administrators, who send a key or sign in at the
// console.
func (a *Accounts) Rules(body int64) (operators, administrators web.Rules) {
	operators = web.Rules{Filtered: true, Access: a.Admission.operator, Body: body}
	administrators = operators
	administrators.Access = web.Administrator(operators.Access)
	return operators, administrators
}

// Routes are about the people who answer and administer; person is the reach of routes to one
// of them.
func (a *Accounts) Routes(person web.Reach) []web.Route {
	operators, administrators := a.Rules(web.MaxBody)
	alone := administrators
	operators, administrators = operators.Within(web.OwnSites), administrators.Within(web.OwnSites)
	keepers, makers, faces := operators, operators, operators
	keepers.Access, makers.Access, faces.Body = web.Lasting(administrators.Access), web.Lasting(operators.Access), maxFaceBytes
	managers := keepers.Within(person)
	return []web.Route{
		web.On("GET", "/api/admin/me", operators.Needs(chat.AllScopes...), a.team.me),
		web.On("PATCH", "/api/admin/me", operators.NoKeys(), web.Body(a.team.patchMe)),
		web.On("PUT", "/api/admin/me/face", faces.NoKeys(), a.team.putFace),
		web.On("DELETE", "/api/admin/me/face", operators.NoKeys(), a.team.deleteFace),
		web.On("GET", "/api/admin/sign-ins", operators.NoKeys(), a.team.listSignIns),
		web.On("DELETE", "/api/admin/sign-ins", operators.NoKeys(), a.team.endOtherSignIns),
		web.On("DELETE", "/api/admin/sign-ins/{id}", operators.NoKeys(), a.team.endSignIn),
		web.On("GET", "/api/admin/passkeys", operators.NoKeys(), a.passkeys.passkeys),
		web.On("POST", "/api/admin/passkeys", operators.NoKeys(), a.passkeys.addPasskey),
		web.On("POST", "/api/admin/passkey-challenge", operators.NoKeys(), a.passkeys.newPasskey),
		web.On("PATCH", "/api/admin/passkeys/{id}", operators.NoKeys(), a.passkeys.renamePasskey),
		web.On("DELETE", "/api/admin/passkeys/{id}", operators.NoKeys(), a.passkeys.removePasskey),
		web.On("GET", "/api/admin/two-step", operators.NoKeys(), a.team.twoStep),
		web.On("POST", "/api/admin/two-step", operators.NoKeys(), web.Body(a.team.beginTwoStep)),
		web.On("POST", "/api/admin/two-step/confirm", operators.NoKeys(), web.Body(a.team.confirmTwoStep)),
		web.On("POST", "/api/admin/two-step/recovery-codes", operators.NoKeys(), web.Body(a.team.renewRecovery)),
		web.On("POST", "/api/admin/two-step/off", operators.NoKeys(), web.Body(a.team.endTwoStep)),
		web.On("GET", "/api/admin/people", operators.Needs(chat.ScopeRead, chat.ScopePeople), a.team.people),
		web.On("POST", "/api/admin/people", keepers.Needs(chat.ScopePeople), web.Body(a.team.addPerson)),
		web.On("PATCH", "/api/admin/people/{id}", managers.Needs(chat.ScopePeople), web.Body(a.team.patchPerson)),
		web.On("DELETE", "/api/admin/people/{id}", managers.Needs(chat.ScopePeople), a.team.removePerson),
		web.On("POST", "/api/admin/people/{id}/reset", managers.Needs(chat.ScopePeople), a.team.resetPassword),
		web.On("DELETE", "/api/admin/people/{id}/two-step", managers.Needs(chat.ScopePeople), a.team.takeTwoStep),
		web.On("GET", "/api/admin/invitations", administrators.Needs(chat.ScopePeople), a.team.invitations),
		web.On("POST", "/api/admin/invitations", keepers.Needs(chat.ScopePeople), web.Body(a.team.invite)),
		web.On("POST", "/api/admin/invitations/{id}/mail", keepers.Needs(chat.ScopePeople), a.team.mailInvitation),
		web.On("DELETE", "/api/admin/invitations/{id}", administrators.Needs(chat.ScopePeople), a.team.withdraw),
		web.On("GET", "/api/admin/api-keys", operators.Needs(chat.ScopePeople), a.team.listKeys),
		web.On("POST", "/api/admin/api-keys", makers.Needs(chat.ScopePeople), web.Body(a.team.addKey)),
		web.On("DELETE", "/api/admin/api-keys/{key}", operators.Needs(chat.ScopePeople), a.team.endKey),
		web.On("POST", "/api/admin/sign-on/test", alone.NoKeys(), a.signOn.test),
		web.On("GET", "/api/admin/audit", administrators.Needs(chat.ScopePeople), a.team.auditList),
	}
}

// MetadataRoutes say how programs get access to relay's assistants' address.
func (a *Accounts) MetadataRoutes() []web.Route {
	open := web.Rules{CORS: web.OpenToPages}
	return []web.Route{
		web.On("GET", oauth.ResourceMetadataPath, open, a.oauth.resourceMetadata),
		web.On("GET", oauth.ServerMetadataPath, open, a.oauth.serverMetadata),
	}
}

// OAuthRoutes are for programs that people give access there. Some run in pages of other origins.
func (a *Accounts) OAuthRoutes() []web.Route {
	programs := web.Rules{CORS: web.OpenToPages, Rate: a.Admission.Rates.Requests, Body: maxOAuthBody}
	return []web.Route{
		web.On("POST", oauth.RegisterPath, programs, a.oauth.register),
		web.On("POST", oauth.TokenPath, programs, a.oauth.token),
		web.On("POST", oauth.RevokePath, programs, a.oauth.revoke),
		web.On("GET", oauth.AuthorizePath, a.asking(), web.Page(a.oauth.authorize)),
	}
}

// asking are the rules of pages on which somebody decides about a program.
func (a *Accounts) asking() web.Rules { return web.Rules{Page: true, Rate: a.Admission.Rates.Requests} }

// FaceRoutes are the pictures of people and websites, for anyone.
func (a *Accounts) FaceRoutes() []web.Route {
	return []web.Route{
		web.On("GET", "/faces/{id}", web.Rules{}, a.team.face),
		web.On("HEAD", "/faces/{id}", web.Rules{}, a.team.face),
		web.On("GET", chat.PicturesPath+"{site}", web.Rules{}, a.team.picture),
		web.On("HEAD", chat.PicturesPath+"{site}", web.Rules{}, a.team.picture),
	}
}

// PageRoutes are the console and the ways to sign in there.
func (a *Accounts) PageRoutes() []web.Route {
	pages, forms := web.Rules{Page: true}, web.Rules{Body: web.MaxBody}
	return []web.Route{
		web.On("GET", "/console", pages, web.Page(a.console.console)),
		web.On("POST", "/console/login", pages, web.Page(a.console.login)),
		web.On("POST", "/console/code", pages, web.Page(a.console.code)),
		web.On("POST", "/console/logout", pages, web.Page(a.console.logout)),
		web.On("GET", connectPath, a.asking(), web.Page(a.oauth.connectPage)),
		web.On("POST", connectPath, a.asking(), web.Page(a.oauth.decide)),
		web.On("GET", signOnPath, pages, web.Page(a.signOn.begin)),
		web.On("GET", SignOnReturn, pages, web.Page(a.signOn.finish)),
		web.On("GET", "/console/invitation", pages, web.Page(a.console.invitationPage)),
		web.On("POST", "/console/invitation/check", forms, a.console.checkInvitation),
		web.On("POST", "/console/invitation/accept", forms, a.console.acceptInvitation),
		web.On("POST", "/console/passkey/challenge", forms, a.passkeys.askPasskey),
		web.On("POST", "/console/passkey/sign-in", forms, a.passkeys.passkeyLogin),
	}
}
