package server

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// noting has the audit list get what keys do in conversations, whatever name they write under.
func (c *community) noting(list []web.Route) []web.Route {
	for i := range list {
		rt := &list[i]
		of, inSession := strings.CutPrefix(rt.Path, "/api/admin/sessions/{session}")
		switch {
		case !inSession, rt.Method == http.MethodGet, !rt.Scopes.Meets(chat.KeyScopes{chat.ScopeWrite}):
		case of == "/typing", of == "/read", of == "/unread", of == "/attachments": // a file is part of a message
		default:
			rt.Action = c.conversations.noted(rt.Action, cmp.Or(strings.TrimPrefix(of, "/"), "assigned, tagged or snoozed"))
		}
	}
	return list
}

// noted adds to the audit list what was done with an API key.
func (s *conversationAPI) noted(act web.Action, what string) web.Action {
	return func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
		v, err := act(w, r, by)
		if err == nil && by.Key != nil {
			s.Audit(r, by, chat.AuditKeyUsed, web.PathVar(r, "session"), what)
		}
		return v, err
	}
}
