package nodes

import (
	"context"
	"encoding/json"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// describeEvery is how often a holder looks whether what it reports has changed.
const describeEvery = time.Second

// Describe shows other nodes what this one reports of its work under a lease, beside the
// lease, until ctx ends. Without a lease there is nobody to show it to.
func (n *Nodes) Describe(ctx context.Context, l *Lease, report func() any) {
	if l == nil {
		return
	}
	tick := time.NewTicker(describeEvery)
	defer tick.Stop()
	for shown := ""; ; {
		if now := string(chat.MustJSON(report())); now != shown {
			limited, cancel := context.WithTimeout(ctx, renewLimit)
			err := n.cluster.Describe(limited, l.name, l.epoch, now)
			cancel()
			if err == nil {
				shown = now
			} else if ctx.Err() == nil {
				n.ReportFailure("other nodes cannot be shown how this one is doing", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Described decodes what another node reports of its work under a lease; false: nobody
// else holds it, or nothing is reported yet.
func (n *Nodes) Described(ctx context.Context, lease string, into any) (bool, error) {
	list, err := n.List(ctx)
	for _, row := range list {
		if row.Name == lease && row.Owner != n.Name() {
			return json.Unmarshal([]byte(row.Info), into) == nil, nil
		}
	}
	return false, err
}
