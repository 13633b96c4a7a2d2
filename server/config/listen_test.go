package config

import "testing"

// TestListenHost: behind https only the own machine reaches the unencrypted port, unless
// a setting says that somebody else has to.
func TestListenHost(t *testing.T) {
	const public = "PUBLIC_URL=https://chat.example.com"
	for name, tt := range map[string]struct {
		args, environ []string
		host          string
		open          bool
	}{
		"nothing set":            {nil, nil, "", false},
		"without https":          {nil, []string{"PUBLIC_URL=http://chat.example.com"}, "", false},
		"with https":             {nil, []string{public}, "127.0.0.1", false},
		"with a path":            {nil, []string{public + "/chat"}, "127.0.0.1", false},
		"no proxy trusted":       {nil, []string{public, "TRUSTED_PROXIES=none"}, "127.0.0.1", false},
		"a host":                 {nil, []string{public, "HOST=192.0.2.1"}, "192.0.2.1", false},
		"all addresses":          {nil, []string{public, "HOST=0.0.0.0"}, "0.0.0.0", true},
		"all addresses, IPv6":    {nil, []string{public, "HOST=::"}, "::", true},
		"another machine":        {nil, []string{public, "TRUSTED_PROXIES=127.0.0.0/8,10.0.0.7"}, "", false},
		"a container":            {nil, []string{public, "HOST=0.0.0.0", "TRUSTED_PROXIES=172.16.0.0/12"}, "0.0.0.0", false},
		"bridge mode":            {[]string{"bridge"}, []string{public}, "", false},
		"bridge mode, all":       {[]string{"bridge"}, []string{public, "HOST=0.0.0.0"}, "0.0.0.0", false},
		"all addresses, no name": {nil, []string{"HOST=0.0.0.0"}, "0.0.0.0", false},
	} {
		cfg := mustLoad(t, tt.args, tt.environ...)
		if host, open := cfg.ListenHost(), cfg.OpenForNobody(); host != tt.host || open != tt.open {
			t.Errorf("%s: listens on %q (open without need: %t), want %q (%t)", name, host, open, tt.host, tt.open)
		}
	}
}

// TestPagesURL: a public address with a path is none for the console.
func TestPagesURL(t *testing.T) {
	for set, want := range map[string]string{"": "", "https://chat.example.com/": "https://chat.example.com", "http://a.test:8080": "http://a.test:8080", "https://a.test/chat": ""} {
		if cfg := mustLoad(t, nil, "PUBLIC_URL="+set); cfg.PagesURL() != want {
			t.Errorf("%s: %q, want %q", set, cfg.PagesURL(), want)
		}
	}
}

// TestCredentialsOfTheService: a command with the service's settings has its secrets, too.
func TestCredentialsOfTheService(t *testing.T) {
	for _, tt := range []struct{ own, envFile, want string }{
		{"", "", ""}, {"", "relay.env", ""}, {"/run/credentials/x", "/etc/relay/relay.env", "/run/credentials/x"},
		{"", "/etc/relay/relay.env", "/run/credentials/relay.service"}, {"", "/etc//relay/relay.env", "/run/credentials/relay.service"},
	} {
		if got := credentials(map[string]string{"CREDENTIALS_DIRECTORY": tt.own}, tt.envFile); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
