package config

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Explained is a setting's value before the admin API's settings apply, and where
// its value was found.
type Explained struct {
	Name   string `json:"name"`
	Value  string `json:"value"` // redacted if it is a secret
	Source string `json:"source"`
}

// Explain lists every setting. The settings must be without a mistake: see [Load].
func (vs Variables) Explain(flags Flags, environ []string) (list []Explained) {
	l := vs.gather(flags, environ)
	mode := strings.ToLower(l.values["RELAY_MODE"].text)
	for _, v := range vs {
		found, given := l.values[v.name]
		e := Explained{v.name, v.preset, "default"}
		if given {
			e.Value, e.Source = found.text, found.origin
		} else if preset, ok := bridgePresets[v.name]; ok && mode == string(chat.ModeBridge) {
			e.Value = preset
		}
		if v.secret && given {
			e.Value = redacted
		}
		list = append(list, e)
	}
	return list
}

// bridgePresets are the defaults of bridge mode that differ.
var bridgePresets = map[string]string{"PORT": strconv.Itoa(bridgePort), "DATABASE_URL": "", "EVENTS_WEBHOOK_RETRIES": strconv.Itoa(bridgeRetries)}

// The service's settings, and where systemd shows root the credentials while it runs.
const (
	serviceEnvFile     = "/etc/relay/relay.env"
	serviceCredentials = "/run/credentials/relay.service"
)

// credentials returns the folder of systemd's credentials: this process's own or, for a
// command that is given the service's settings, the service's.
func credentials(environ map[string]string, envFile string) string {
	dir := environ["CREDENTIALS_DIRECTORY"]
	if dir == "" && envFile != "" && filepath.Clean(envFile) == serviceEnvFile {
		return serviceCredentials
	}
	return dir
}

// takeCredentials reads the settings that systemd passes as files (LoadCredential), each
// named as its variable.
func (l *loader) takeCredentials(dir string) {
	if dir == "" {
		return
	}
	source := map[string]string{}
	for _, v := range l.known {
		path := filepath.Join(dir, v.name)
		data, err := readFile(path)
		if os.IsNotExist(err) || os.IsPermission(err) && dir == serviceCredentials {
			continue
		}
		if err != nil {
			l.wrong(v.name, "", "cannot be read: %v", err)
			continue
		}
		source[v.name] = strings.TrimRight(string(data), "\r\n")
	}
	l.take("credential", source)
}

// FlagNames lists all flags.
func (vs Variables) FlagNames() []string {
	list := []string{"--env-file", "--help", "--version", "--json", "--yes"}
	for _, v := range vs {
		list = append(list, flagName(v.name))
	}
	return list
}
