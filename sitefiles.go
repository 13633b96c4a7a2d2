package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

// declareSites stores the sites of SITES_FILE. What does not go with the stored ones is
// reported like a wrong setting. keys are nil in bridge mode, where no widget has one.
func (a *app) declareSites(ctx context.Context, e *engine.Engine, keys *server.Keyring) error {
	if file := a.cfg.Sites; file != nil && keys != nil {
		for _, d := range file.Sites {
			if d.Key != nil && keys.IsPublic(*d.Key) {
				return config.Mistakes{{Name: d.Where + ":", Text: "publicKey is that of the first site; choose another"}}
			}
		}
	}
	err := e.DeclareSites(ctx, a.cfg.Sites)
	var wrong *engine.DeclarationError
	if errors.As(err, &wrong) {
		return config.Mistakes{{Name: wrong.Where + ":", Text: wrong.Err.Error()}}
	}
	return err
}

// sitesFinding is what doctor says of SITES_FILE, whose mistakes have ended it before.
func sitesFinding(cfg config.Config) chat.Finding {
	return chat.Fine(cfg.SitesFile, fmt.Sprintf("it declares %s", chat.Count(len(cfg.Sites.Sites), "website")))
}
