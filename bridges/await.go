package bridges

import (
	"context"

	"github.com/relay-chat/relay/server/engine"
)

// await waits until the settings are as wanted, or ctx ends.
func await(ctx context.Context, e *engine.Engine, wanted func() bool) {
	for {
		changed := e.SettingsChanged()
		if wanted() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}
