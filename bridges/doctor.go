package bridges

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Checkup is what relay doctor found about one bridge.
type Checkup struct {
	Name     string
	Findings []chat.Finding
}

// Examine checks each bridge under the settings of these sites. running are the states that
// a running relay reports.
func Examine(ctx context.Context, kinds []Kind, sites *chat.Sites, running []chat.BridgeState) (list []Checkup) {
	for _, k := range kinds {
		found := examine(ctx, k, sites)
		list = append(list, Checkup{k.Name, append(found, runningFindings(k.Name, running, found)...)})
	}
	return list
}

// examine checks a bridge's settings and, if they are complete, the bridge with the channels
// that sites have of their own. It works beside a running relay.
func examine(ctx context.Context, k Kind, sites *chat.Sites) []chat.Finding {
	s := sites.Common()
	missing := k.Missing(s)
	if first := firstOf(&k, sites); first != nil {
		s, missing = first, nil
	}
	switch {
	case len(missing) == len(k.Needs):
		return []chat.Finding{chat.Fine("settings", strings.TrimSuffix("not set up; "+k.Begin, "; "))}
	case len(missing) > 0:
		return missingFindings(s, missing)
	}
	b, err := k.New(s)
	if err != nil {
		return []chat.Finding{chat.CallFailed("settings", k.Card.Title, err)}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return append(b.Check(ctx), examineOwn(ctx, &k, b, sites)...)
}

// examineOwn checks the channels that sites have of their own.
func examineOwn(ctx context.Context, k *Kind, common chat.Bridge, sites *chat.Sites) (found []chat.Finding) {
	c := &channels{common: common, own: map[string]chat.Bridge{}}
	homes := homesOf(k, sites)
	for _, site := range sites.All() {
		if homes[site.ID] == "" || !homes.apart(site.ID) {
			continue
		}
		b, err := c.beside(homes[site.ID])
		if err != nil {
			found = append(found, chat.CallFailed(site.Label()+": settings", k.Card.Title, err))
			continue
		}
		c.own[site.ID] = b
		for _, f := range b.Check(ctx) {
			f.Subject = site.Label() + ": " + f.Subject
			found = append(found, f)
		}
	}
	return found
}

// missingFindings returns a finding for each missing setting.
func missingFindings(settings *chat.Settings, missing []string) (findings []chat.Finding) {
	for _, name := range missing {
		fix := "set " + name
		if variable := settings.EnvOf(name); variable != "" {
			fix = "set " + variable + ", or " + name + " by the admin API"
		}
		findings = append(findings, chat.Finding{Subject: "settings", Level: chat.FindingFail, Text: name + " is missing", Fix: fix})
	}
	return findings
}

// runningFindings returns what only the running relay knows of a bridge, such as
// another user of its token. A cause that was found already is not repeated.
func runningFindings(name string, running []chat.BridgeState, found []chat.Finding) (more []chat.Finding) {
	for _, state := range running {
		if state.Name != name {
			continue
		}
		more = append(more, undelivered(state)...)
		if chat.Failed(found) || state.LastError == "" {
			continue
		}
		f := chat.Finding{Subject: "running relay", Level: chat.FindingFail, Text: state.LastError, Fix: state.Fix, Details: state.Details}
		if state.State != "misconfigured" {
			f.Level = chat.FindingWarn
		}
		more = append(more, f)
	}
	return more
}

// undelivered reports the deliveries of a bridge that fail.
func undelivered(state chat.BridgeState) (more []chat.Finding) {
	for _, kind := range []struct {
		of       *chat.BridgeTrouble
		one, fix string
	}{
		{state.Failed, "given up", "see which in the console, and retry them there once the cause is fixed"},
		{state.Retrying, "rejected repeatedly", "relay keeps retrying; the console shows which conversations wait"},
	} {
		if kind.of != nil {
			text := fmt.Sprintf("%d not delivered, %s: %s", kind.of.Count, kind.one, kind.of.Reason)
			more = append(more, chat.Finding{Subject: "deliveries", Level: chat.FindingWarn, Text: text, Fix: kind.fix})
		}
	}
	return more
}

// Report writes checkups for people and returns how many findings are failures.
func Report(w io.Writer, list []Checkup) (failures int) {
	for _, c := range list {
		fmt.Fprintf(w, "%s\n", c.Name)
		for _, f := range c.Findings {
			fmt.Fprintf(w, "  %-4s  %s: %s\n", f.Level, f.Subject, f.Text)
			if f.Fix != "" && f.Level != chat.FindingOK {
				fmt.Fprintf(w, "        Fix: %s\n", f.Fix)
			}
			if f.Details != "" {
				fmt.Fprintf(w, "        Details: %s\n", f.Details)
			}
			if f.Level == chat.FindingFail {
				failures++
			}
		}
	}
	return failures
}
