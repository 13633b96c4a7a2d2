package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// holding returns which of two nodes serves Discord, and the other one.
func holding(t *testing.T, nodes []*instance) (holder, standby *instance) {
	t.Helper()
	eventually(t, "one node that serves Discord", func() bool {
		for i, in := range nodes {
			if _, scrape := fetch(t, in.metricsURL(t)+"/metrics"); strings.Contains(scrape, `relay_lease_held{lease="discord"} 1`) {
				holder, standby = in, nodes[1-i]
				return true
			}
		}
		return false
	})
	return holder, standby
}

// discordState is Discord's card at a node.
func discordState(t *testing.T, in *instance) (st chat.BridgeState) {
	t.Helper()
	var list struct{ Bridges []chat.BridgeState }
	in.get(t, in.base+"/api/admin/bridges", in.secret, &list)
	i := slices.IndexFunc(list.Bridges, func(b chat.BridgeState) bool { return b.Name == "discord" })
	return list.Bridges[i]
}

// TestNodesShowTheHoldersBridge shows at any node how the bridge is doing where it is
// served, and lets a check there mend it.
func TestNodesShowTheHoldersBridge(t *testing.T) {
	t.Parallel()
	w, nodes := sharing(t, 1, 2)
	both := func(want string) {
		t.Helper()
		eventually(t, want+" at both nodes", func() bool {
			a, b := discordState(t, nodes[0]), discordState(t, nodes[1])
			return a.State == want && b.State == want && a.Receive == b.Receive && a.LastError == b.LastError && a.Fix == b.Fix
		})
	}
	both("running")
	if st := discordState(t, nodes[0]); st.Receive != "gateway" {
		t.Errorf("%+v", st)
	}
	_, standby := holding(t, nodes)

	w.f.SwitchIntent(false) // relay pauses for a minute
	w.f.Forget()
	w.f.CloseGateway(4014)
	both("misconfigured")
	if st := discordState(t, standby); st.LastError == "" || st.Fix == "" {
		t.Errorf("at the standby: %+v", st)
	}
	w.f.SwitchIntent(true)
	var checked struct {
		OK       bool
		Findings []chat.Finding
	}
	if code := standby.call(t, "POST", standby.base+"/api/admin/bridges/discord/test", standby.secret, map[string]any{}, &checked); code != 200 || len(checked.Findings) < 3 {
		t.Fatalf("%d: %+v", code, checked)
	}
	both("running")
	eventually(t, "the gateway", func() bool { return w.f.Connected() })
	if most := w.f.MostConnected(); most != 1 {
		t.Errorf("%d gateways at one time", most)
	}

	holder, standby := holding(t, nodes)
	holder.kill()
	eventually(t, "the takeover as the state shows it", func() bool {
		st := discordState(t, standby)
		return st.State == "running" && st.Receive == "gateway" && w.f.Connected()
	})
	if code := standby.call(t, "POST", standby.base+"/api/admin/bridges/discord/test", standby.secret, map[string]any{}, &checked); code != 200 || !checked.OK {
		t.Errorf("%d: %+v", code, checked)
	}
}
