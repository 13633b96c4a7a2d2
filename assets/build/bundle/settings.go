package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/relay-chat/relay/assets/build/openapi"
)

// settingsFile is where every variable is described; its table is /docs/settings.
const settingsFile = "../relay.example.env"

// settingGroup is a part of the settings reference.
type settingGroup struct {
	ID, Title, Text string
	Settings        []setting
}

// setting is a variable, and where else it can be set: API is its name in the admin API,
// Console its page there. Both are "" for what the environment alone sets.
type setting struct {
	Name, Text, Type, Default, Example string
	Secret                             bool
	API, Console                       string
}

// consoleFiles are the console's modules that have fields of settings, and their pages.
var consoleFiles = []struct{ module, page string }{
	{"aifields.ts", "AI"}, {"hours.ts", "Hours"}, {"mail.ts", "E-mail"}, {"mailsignin.ts", "E-mail"}, {"privacy.ts", "Privacy"},
	{"signon.ts", "Sign-in"}, {"webhook.ts", "Webhook"}, {"widget/index.ts", "Widget"},
}

// platformsTitle heads the settings whose fields the bridges declare: the console shows
// them on its page Channels.
const platformsTitle = "Chat platforms"

var (
	settingsHeading = regexp.MustCompile(`^# ---- (.+?) -*$`)
	settingEntry    = regexp.MustCompile(`(?s)^([A-Z][A-Z0-9_]*): (.+?) Type: (.+?)\. Default: (.+)$`)
	settingVariable = regexp.MustCompile("\\(`([A-Z][A-Z0-9_]*)`\\)")
)

// readSettings makes the settings reference of the example file, the API's document and
// the console.
func readSettings(root string, api *openapi.Page) (guide, error) {
	source, err := os.ReadFile(filepath.Join(root, settingsFile))
	if err != nil {
		return guide{}, err
	}
	groups, err := parseSettings(string(source))
	if err != nil {
		return guide{}, fmt.Errorf("%s: %w", filepath.Base(settingsFile), err)
	}
	groups[0].Text = strings.Replace(groups[0].Text, "copy this file", "copy `relay.example.env`", 1)
	groups[0].Text = strings.ReplaceAll(groups[0].Text, "this file", "`relay.env`")
	fields := settingFields(api)
	g := guide{Name: "settings", Title: "Settings reference", Settings: groups}
	g.Places = []place{{g.Title, "/docs/settings", plain(groups[0].Text)}}
	for i := range groups {
		group := &groups[i]
		if i > 0 {
			g.Sections = append(g.Sections, section{group.ID, group.Title})
		}
		for j := range group.Settings {
			s := &group.Settings[j]
			s.API = fields[s.Name]
			if s.Console, err = consolePage(root, group.Title, s.API); err != nil {
				return guide{}, err
			}
			g.Places = append(g.Places, place{s.Name, "/docs/settings#" + s.Name, strings.TrimSpace(s.Text + " " + s.API)})
		}
	}
	return g, nil
}

// settingFields are the names of settings in the API, by their variables.
func settingFields(api *openapi.Page) map[string]string {
	fields := map[string]string{}
	for _, page := range api.Types {
		for _, s := range page.Schemas {
			if s.Name != "SettingValues" {
				continue
			}
			for _, f := range s.Fields {
				if m := settingVariable.FindStringSubmatch(f.Text); m != nil {
					fields[m[1]] = f.Name
				}
			}
		}
	}
	return fields
}

// consolePage finds the page of the console with the field of a setting.
func consolePage(root, group, field string) (string, error) {
	if field == "" {
		return "", nil
	}
	if group == platformsTitle {
		return "Channels", nil
	}
	quoted := regexp.MustCompile(`["'.]` + field + `\b`)
	for _, c := range consoleFiles {
		module, err := os.ReadFile(filepath.Join(root, "console", "settings", c.module))
		if err != nil {
			return "", err
		}
		if quoted.Match(module) {
			return c.page, nil
		}
	}
	return "", fmt.Errorf("no page of the console has the setting %s: see consoleFiles", field)
}

// parseSettings reads the example file: its beginning, then headings with settings. A
// setting is a comment of NAME: text, Type and Default, and a line #NAME=example.
func parseSettings(file string) ([]settingGroup, error) {
	groups := []settingGroup{{ID: "how"}}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(file), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		if m := settingsHeading.FindStringSubmatch(lines[0]); m != nil {
			groups = append(groups, settingGroup{ID: openapi.Slug(m[1]), Title: m[1]})
			lines = lines[1:]
		}
		group := &groups[len(groups)-1]
		last := len(lines) - 1
		if last < 0 || strings.HasPrefix(lines[last], "# ") || lines[last] == "#" {
			group.Text += comment(lines)
			continue
		}
		name, example, _ := strings.Cut(lines[last][1:], "=")
		m := settingEntry.FindStringSubmatch(strings.TrimSpace(comment(lines[:last])))
		if m == nil || m[1] != name {
			return nil, fmt.Errorf("%s is not described as NAME: text. Type: type. Default: value", name)
		}
		kind := strings.TrimSuffix(m[3], "; a secret")
		group.Settings = append(group.Settings, setting{Name: name, Text: strings.ToUpper(m[2][:1]) + m[2][1:], Type: kind, Default: m[4], Example: example, Secret: kind != m[3]})
	}
	return groups, nil
}

// comment is the text of commented lines; an empty one ends a paragraph.
func comment(lines []string) string {
	var out strings.Builder
	for _, line := range lines {
		text := strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
		if text == "" {
			text = "\n\n"
		}
		out.WriteString(text + " ")
	}
	return out.String()
}
