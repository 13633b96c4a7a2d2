package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/server/chat"
)

func readSites(t *testing.T, name, text string) (*chat.SitesFile, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadSites(Config{Mode: chat.ModeCommunity, SitesFile: name, PublicKey: "pk_first_1"}, bridges.Settings())
}

// TestSitesFile: YAML and JSON say the same.
func TestSitesFile(t *testing.T) {
	for name, text := range map[string]string{
		"sites.yaml": `sites:
  - id: main
    name: Shop Vienna
    address: https://vienna.example.com/
    settings: &common
      language: de
      businessHours: {timezone: Europe/Vienna, weekly: {monday: [09:00-12:00]}, exceptions: {2026-12-24: []}}
  - id: shop-berlin
    name: Shop Berlin
    color: "#0B7285"
    publicKey: pk_berlin_1
    origins: [https://berlin.example.com/]
    settings:
      <<: *common
      welcomeMessage: Guten Tag! 😀
      aiMaxAnswers: 5
`,
		"sites.json": "{\"sites\": [\n\t{\"id\": \"main\", \"name\": \"Shop Vienna\", \"address\": \"https:\\/\\/vienna.example.com\", \"settings\": {\"language\": \"de\",\n" +
			`"businessHours": {"timezone": "Europe/Vienna", "weekly": {"monday": ["09:00-12:00"]}, "exceptions": {"2026-12-24": []}}}},
{"id": "shop-berlin", "name": "Shop Berlin", "color": "#0b7285", "publicKey": "pk_berlin_1", "origins": ["https://berlin.example.com"],
"settings": {"language": "de", "welcomeMessage": "Guten Tag! \ud83d\ude00", "aiMaxAnswers": 5,
"businessHours": {"timezone": "Europe/Vienna", "weekly": {"monday": ["09:00-12:00"]}, "exceptions": {"2026-12-24": []}}}}]}`,
	} {
		file, err := readSites(t, name, text)
		if err != nil || file.Name != name || len(file.Sites) != 2 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		main, berlin := file.Sites[0], file.Sites[1]
		if main.ID != "" || *main.Name != "Shop Vienna" || *main.Address != "https://vienna.example.com" || main.Key != nil {
			t.Errorf("%s: the first site is %+v", name, main)
		}
		if berlin.ID != "shop-berlin" || *berlin.Color != "#0b7285" || *berlin.Key != "pk_berlin_1" || (*berlin.Origins)[0] != "https://berlin.example.com" {
			t.Errorf("%s: the second site is %+v", name, berlin)
		}
		for setting, want := range map[string]string{"language": `"de"`, "welcomeMessage": `"Guten Tag! 😀"`, "aiMaxAnswers": "5",
			"businessHours": `{"exceptions":{"2026-12-24":[]},"timezone":"Europe/Vienna","weekly":{"monday":["09:00-12:00"]}}`} {
			if got := string(berlin.Settings[setting]); got != want {
				t.Errorf("%s: %s is %s, want %s", name, setting, got, want)
			}
		}
	}
}

// TestWrongSitesFiles: each mistake has its line.
func TestWrongSitesFiles(t *testing.T) {
	site := "sites:\n  - id: a\n    name: A\n"
	for text, want := range map[string]string{
		"":                                                  "line 1: the file is empty",
		"# nothing\n":                                       "line 1: the file has nothing but comments",
		"sites: []\n":                                       "line 1: sites must be a list of websites",
		"sites:\n  a: b\n":                                  "line 1: sites must be a list of websites",
		"- id: a\n":                                         "line 1: the file must begin with sites:",
		"site:\n  - id: a\n":                                "line 1: unknown field “site”",
		"sites:\n  - Berlin\n":                              "line 2: a site must have fields",
		"sites:\n  - name: A\n":                             "line 2: id is missing",
		"sites:\n  - id: a\n":                               "line 2: name is missing",
		"sites:\n  - id: all\n    name: A\n":                "line 2: “all” has a meaning of its own",
		"sites:\n  - id: A b\n    name: A\n":                "line 2: id must be 1 to 40 small letters",
		site + "    name: B\n":                              "line 4: name is given twice, first in line 3",
		site + "    colour: x\n":                            "line 4: unknown field “colour”",
		site + "    color: #ff0000\n":                       "line 4: color is empty: write it in quotes",
		site + "    color: red\n":                           "line 4: color must be a colour",
		site + "    address: berlin\n":                      "line 4: address must be the website's",
		site + "    address:\n":                             "line 4: address is empty",
		site + "    origins: https://a.example\n":           "line 4: origins must be a list",
		site + "    origins: [a.example]\n":                 "line 4: origins must be origins like",
		site + "    publicKey: short\n":                     "line 4: publicKey must be 8 to 200 letters",
		site + "    publicKey: pk_first_1\n":                "line 4: publicKey is that of the first site",
		site + "    settings: {}\n  - id: a\n    name: B\n": "line 5: the site in line 2 has this id",
		site + "  - id: b\n    name: a\n":                   "line 5: the site in line 3 has this name",
		site + "    publicKey: pk_same_11\n  - id: b\n    name: B\n    publicKey: pk_same_11\n": "line 7: the site in line 4 has this publicKey",
		site + "    settings:\n      theme: red\n":                                              "line 5: theme must be one of",
		site + "    settings:\n      colour: red\n":                                             "line 5: unknown setting colour",
		site + "    settings:\n      primaryColor: #fff000\n":                                   "line 5: primaryColor is empty",
		site + "    settings:\n      aiModel: x\n":                                              "line 5: aiModel is relay's, the same for all sites; set it by AI_MODEL",
		site + "    settings: [a]\n":                                                            "line 4: settings must have names and values",
		site + "---\na: b\n":                                                                    "line 4: the file must be a single document",
		"sites:\n  - id: main\n    publicKey: pk_12345678\n":                                    "line 3: the first site's key is set by RELAY_PUBLIC_KEY",
		"sites:\n  - id: main\n    origins: []\n":                                               "line 3: the first site's origins are set by ALLOWED_ORIGINS",
		"sites:\n  - id: a\n   name: [\n":                                                       "this is not YAML: ",
		"sites: \xff\n":                                                                         "line 1: the file is not UTF-8",
		site + "    settings:\n      texts: &t {a: *t}\n":                                       "line 5: ",
		site + "    settings:\n      aiMaxAnswers: .nan\n":                                      "line 5: aiMaxAnswers: ",
	} {
		_, err := readSites(t, "sites.yaml", text)
		var mistakes Mistakes
		if !errors.As(err, &mistakes) || !strings.Contains(err.Error(), "sites.yaml line ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"{\"sites\": [\n{\"id\": \"a\",\n}]}":                   "line 3: this is not JSON",
		"{\"sites\": [\n{\"id\": \"a\"":                         "line 2: this is not JSON: it ends too early",
		"{\"sites\": [\n{\"id\": \"a\", \"name\": \"A\"}]}\n x": "line 3: this is not JSON",
		"{\"sites\": [\n{\"id\": \"a\",\n\"id\": \"b\"}]}":      "line 3: id is given twice, first in line 2",
		strings.Repeat("[", 1000):                               "there are too many values in values",
	} {
		if _, err := readSites(t, "sites.json", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

// TestSitesFileThatIsNone: what is no regular file is not waited for.
func TestSitesFileThatIsNone(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, "pipe"), filepath.Join(dir, "large")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is not a regular file", dir: "is a folder", filepath.Join(dir, "none"): "no such file", large: "has at most"} {
		if _, err := ReadSites(Config{SitesFile: path}, nil); err == nil || !strings.Contains(err.Error(), "SITES_FILE cannot be read: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestReferencesInSitesFile: values that refer to each other do not grow without limit.
func TestReferencesInSitesFile(t *testing.T) {
	text := "sites:\n  - id: a\n    name: A\n    settings:\n      texts:\n        a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		last := "*a" + string(rune('0'+i-1))
		text += "        a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.Repeat(last+", ", 9) + last + "]\n"
	}
	if _, err := readSites(t, "sites.yaml", text); err == nil || !strings.Contains(err.Error(), "too many values") {
		t.Errorf("it answers %v", err)
	}
}
