package bridges

import (
	"context"
	"strings"

	"relay/server/chat"
)

// Examine looks at a bridge from the outside, beside a relay that may be
// running: what is set up, and if all is, what the bridge finds itself.
func Examine(ctx context.Context, k Kind, s *chat.Settings) []chat.Finding {
	missing := k.missing(s)
	switch {
	case len(missing) == len(k.Needs):
		return []chat.Finding{chat.Fine("settings", strings.TrimSuffix("not set up; "+k.Begin, "; "))}
	case len(missing) > 0:
		return missingFindings(missing)
	}
	b, err := k.New(s)
	if err != nil {
		return []chat.Finding{chat.Unwell("settings", k.Title, err)}
	}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	return b.Check(ctx)
}

// missingFindings name the settings that are missing as people write them.
func missingFindings(missing []string) (findings []chat.Finding) {
	for _, name := range missing {
		fix := "set " + name
		for _, def := range chat.SettingList {
			if def.Name == name && def.Env != "" {
				fix = "set " + def.Env + ", or " + name + " by the admin API"
			}
		}
		findings = append(findings, chat.Finding{Subject: "settings", Level: chat.FindingFail, Text: name + " is missing", Fix: fix})
	}
	return findings
}
