package config

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// composeFile is what the test reads of compose.yaml.
type composeFile struct {
	Services map[string]struct {
		Image       string
		Profiles    []string
		Ports       []string
		Environment map[string]string
		Volumes     []string
		DependsOn   yaml.Node `yaml:"depends_on"`
		Configs     []struct{ Source, Target string }
	}
	Configs map[string]struct{ Content string }
	Volumes map[string]any
}

func readCompose(t *testing.T) (file composeFile, text string) {
	t.Helper()
	content, err := os.ReadFile("../../compose.yaml")
	if err == nil {
		err = yaml.Unmarshal(content, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file, string(content)
}

// TestComposeFile: every name that the file uses exists, and both relays are the same.
func TestComposeFile(t *testing.T) {
	file, text := readCompose(t)
	for name, s := range file.Services {
		for _, v := range s.Volumes {
			volume, _, _ := strings.Cut(v, ":")
			if _, ok := file.Volumes[volume]; !ok {
				t.Errorf("%s uses the volume %s, which does not exist", name, volume)
			}
		}
		for _, c := range s.Configs {
			if file.Configs[c.Source].Content == "" {
				t.Errorf("%s uses the config %s, which does not exist", name, c.Source)
			}
		}
		var others []string
		if s.DependsOn.Kind == yaml.MappingNode {
			var list map[string]any
			_ = s.DependsOn.Decode(&list)
			others = slices.Collect(maps.Keys(list))
		} else {
			_ = s.DependsOn.Decode(&others)
		}
		for _, other := range others {
			if _, ok := file.Services[other]; !ok {
				t.Errorf("%s depends on %s, which does not exist", name, other)
			}
		}
		if s.Image == "relay" {
			checkRelay(t, name, s.Environment)
		}
	}
	own := []string{"POSTGRES_PASSWORD", "DOMAIN"} // of the file, not of relay
	for _, m := range regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(text, -1) {
		if lookupVariable(m[1]) == nil && !slices.Contains(own, m[1]) {
			t.Errorf("${%s} is nothing that relay knows", m[1])
		}
	}
	one, two := file.Services["relay"], file.Services["relay2"]
	if !maps.Equal(one.Environment, two.Environment) || len(two.Ports) > 0 || !slices.Equal(two.Profiles, []string{"nodes"}) || len(one.Profiles) > 0 {
		t.Errorf("relay2 is %+v", two)
	}
	if caddy := file.Configs["caddy"].Content; !strings.Contains(caddy, "relay:3000 relay2:3000") || !strings.Contains(caddy, "/ready") {
		t.Errorf("the Caddyfile is\n%s", caddy)
	}
	if profiles := file.Services["caddy"].Profiles; !slices.Equal(profiles, []string{"nodes"}) {
		t.Errorf("Caddy starts with %q", profiles)
	}
}

// checkRelay looks whether relay knows what it is given, and takes it when nobody has
// set anything.
func checkRelay(t *testing.T, name string, environment map[string]string) {
	t.Helper()
	var environ []string
	for key, value := range environment {
		if lookupVariable(key) == nil {
			t.Errorf("%s sets %s, which relay does not know", name, key)
		}
		value = regexp.MustCompile(`\$\{\w+:-(.*?)\}`).ReplaceAllString(value, "$1")
		environ = append(environ, key+"="+regexp.MustCompile(`\$\{\w+:\?.*?\}`).ReplaceAllString(value, "secret"))
	}
	if _, _, err := load(t, nil, environ...); err != nil || len(environ) < 10 {
		t.Errorf("%s does not start: %v", name, err)
	}
}

func lookupVariable(name string) *variable {
	i := slices.IndexFunc(variables, func(v variable) bool { return v.name == name })
	if i < 0 {
		return nil
	}
	return &variables[i]
}
