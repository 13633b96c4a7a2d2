package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/server/chat"
)

// variables are those of a relay with its bridges.
var variables = Declare(bridges.Settings())

// load reads a configuration in an empty working directory.
func load(t *testing.T, args []string, environ ...string) (Config, []string, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	return variables.Load(variables.ParseFlags(args), environ)
}

func mustLoad(t *testing.T, args []string, environ ...string) Config {
	t.Helper()
	cfg, warnings, err := load(t, args, environ...)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("err = %v, warnings = %q", err, warnings)
	}
	return cfg
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigDefaults(t *testing.T) {
	cfg := mustLoad(t, nil)
	want := Config{Mode: chat.ModeCommunity, Port: 3000, DatabaseURL: "sqlite://relay.db", Setup: SetupLocal,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		BackupKeep:     7, RateLimit: true, WebhookRetries: 9, UAFilterBots: true, UAFilterMode: FilterBlocklist, LogLevel: slog.LevelInfo, LogFormat: LogText,
		Settings: map[string]chat.Raw{}}
	if got, want := fmt.Sprintf("%#v", cfg), fmt.Sprintf("%#v", want); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if cfg.DatabaseURL != want.DatabaseURL {
		t.Errorf("database = %q", string(cfg.DatabaseURL))
	}
}

func TestConfigModes(t *testing.T) {
	for _, c := range []struct {
		args, environ []string
		mode          chat.Mode
		port          uint16
		database      Secret
		retries       int
	}{
		{nil, nil, chat.ModeCommunity, 3000, "sqlite://relay.db", 9},
		{[]string{"bridge"}, nil, chat.ModeBridge, 3001, "", 3},
		{nil, []string{"RELAY_MODE=bridge"}, chat.ModeBridge, 3001, "", 3},
		{[]string{"healthcheck"}, []string{"RELAY_MODE=bridge"}, chat.ModeBridge, 3001, "", 3},
		{[]string{"serve"}, []string{"RELAY_MODE=bridge"}, chat.ModeCommunity, 3000, "sqlite://relay.db", 9},
		{[]string{"bridge"}, []string{"RELAY_MODE=community"}, chat.ModeBridge, 3001, "", 3},
		{[]string{"bridge", "--port", "3000"}, []string{"DATABASE_URL=sqlite://threads.db", "EVENTS_WEBHOOK_RETRIES=9"}, chat.ModeBridge, 3000, "sqlite://threads.db", 9},
	} {
		cfg := mustLoad(t, c.args, c.environ...)
		if cfg.Mode != c.mode || cfg.Port != c.port || cfg.DatabaseURL != c.database || cfg.WebhookRetries != c.retries {
			t.Errorf("%q %q: mode %s, port %d, database %q, %d retries", c.args, c.environ, cfg.Mode, cfg.Port, string(cfg.DatabaseURL), cfg.WebhookRetries)
		}
	}
}

func TestConfigSources(t *testing.T) {
	file := write(t, "my.env", "PORT=1\nHOST=file\nLOG_LEVEL=debug\n")
	cfg := mustLoad(t, []string{"serve", "--port", "3", "--env-file=" + file}, "PORT=2", "HOST=environment", "LOG_LEVEL=")
	if cfg.Port != 3 || cfg.Host != "environment" || cfg.LogLevel != slog.LevelDebug {
		t.Errorf("port %d, host %q, level %s: want the flag's, the environment's and the file's", cfg.Port, cfg.Host, cfg.LogLevel)
	}
}

func TestConfigReadsRelayEnv(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("relay.env", []byte("PORT=4321\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, _, err := variables.Load(variables.ParseFlags(nil), nil)
	if err != nil || cfg.Port != 4321 {
		t.Errorf("port %d, err %v", cfg.Port, err)
	}
}

func TestConfigSecretFiles(t *testing.T) {
	file := write(t, "secret", "sk_from_a_file_1234567890\n")
	cfg := mustLoad(t, nil, "RELAY_SECRET_KEY_FILE="+file)
	if cfg.SecretKey != "sk_from_a_file_1234567890" {
		t.Errorf("secret from the environment's file = %q", string(cfg.SecretKey))
	}
	cfg = mustLoad(t, []string{"--relay-secret-key=sk_from_the_flag_1234567890"}, "RELAY_SECRET_KEY_FILE="+file)
	if cfg.SecretKey != "sk_from_the_flag_1234567890" {
		t.Errorf("secret = %q, want the flag's", string(cfg.SecretKey))
	}
	cfg = mustLoad(t, []string{"--slack-bot-token-file", write(t, "token", "xoxb-from-a-file\r\n")})
	if got := string(cfg.Settings["slackBotToken"]); got != `"xoxb-from-a-file"` {
		t.Errorf("setting from a file = %s", got)
	}
}

func TestConfigValues(t *testing.T) {
	cfg := mustLoad(t, []string{"--identity-required", "serve", "--rate-limit", "off", "-port=8080", "--telegram-chat-id", "-100123"},
		"IDENTITY_SECRET=0123456789abcdef", "ALLOWED_ORIGINS= https://Example.com:443/ ,http://localhost:8080,http://[::1]:80,http://a.test:443",
		"TRUSTED_PROXIES=10.1.2.3, 192.168.1.7/16,fd00::1", "PUBLIC_URL=https://chat.example.com/", "HOST=[::1]",
		`BUSINESS_HOURS={"timezone":"UTC","weekly":{"monday":["09:00-17:00"]}}`, "ENABLE_DISCORD_GATEWAY=yes", "LOG_FORMAT=JSON", "RELAY_SETUP=code", "DATABASE_URL=postgresql:///relay?host=/run/postgresql")
	for name, ok := range map[string]bool{
		"identity":  cfg.IdentityRequired,
		"rate":      !cfg.RateLimit,
		"port":      cfg.Port == 8080,
		"origins":   slices.Equal(cfg.AllowedOrigins, []string{"https://example.com", "http://localhost:8080", "http://[::1]", "http://a.test:443"}),
		"proxies":   fmt.Sprint(cfg.TrustedProxies) == "[10.1.2.3/32 192.168.0.0/16 fd00::1/128]",
		"publicURL": cfg.PublicURL == "https://chat.example.com",
		"host":      cfg.Host == "::1",
		"gateway":   string(cfg.Settings["enableDiscordGateway"]) == "true",
		"hours":     string(cfg.Settings["businessHours"]) == `{"timezone":"UTC","weekly":{"monday":["09:00-17:00"]}}`,
		"chat id":   string(cfg.Settings["telegramChatId"]) == `"-100123"`,
		"format":    cfg.LogFormat == LogJSON,
		"setup":     cfg.Setup == SetupCode,
	} {
		if !ok {
			t.Errorf("%s is wrong in %+v", name, cfg)
		}
	}
	if cfg := mustLoad(t, nil, "TRUSTED_PROXIES=none", "ALLOWED_ORIGINS=*"); cfg.TrustedProxies != nil || cfg.AllowedOrigins != nil {
		t.Errorf("none and * gave %v and %v", cfg.TrustedProxies, cfg.AllowedOrigins)
	}
}

// Each of these must be refused, with the variable's name and an example.
func TestConfigMistakes(t *testing.T) {
	for _, pair := range []string{
		"PORT=eighty", "PORT=65536", "PORT=-1", "HOST=localhost:3000", "HOST=http://localhost", "PUBLIC_URL=chat.example.com", "PUBLIC_URL=https://a:b@c",
		"PUBLIC_URL=https://chat.example.com/?a=b", "DATABASE_URL=mysql://relay", "DATABASE_URL=postgres://u:p@canary@host/db", "DATABASE_URL=postgres://u:1/canary@host/db", "DATABASE_URL=postgres://u:1#canary@host/db", "DATABASE_URL=sqlite://", "DATABASE_URL=relay.db",
		"RELAY_MODE=both", "RELAY_SETUP=public", "RELAY_PUBLIC_KEY=short", "RELAY_SECRET_KEY=short", "RELAY_SECRET_KEY=has spaces in it, many",
		"ALLOWED_ORIGINS=example.com", "ALLOWED_ORIGINS=https://a.com/page", "ALLOWED_ORIGINS=https://*.example.com", "ALLOWED_ORIGINS=https://bücher.example", "TRUSTED_PROXIES=10.0.0.0/33",
		"TRUSTED_PROXIES=proxy", "ATTACHMENT_MAX_BYTES=10MB", "ATTACHMENT_MAX_BYTES=0", "BACKUP_KEEP=0", "BACKUP_KEEP=many", "ATTACHMENT_MAX_BYTES=99999999999", "IDENTITY_SECRET=short",
		"IDENTITY_REQUIRED=maybe", "IDENTITY_REQUIRED=true", "REQUIRE_SESSION_TOKEN=2", "RATE_LIMIT=fast", "LOG_LEVEL=loud", "LOG_FORMAT=xml", "METRICS_ADDR=9091", "METRICS_ADDR=127.0.0.1", "METRICS_ADDR=:99999",
		"ENABLE_DISCORD_GATEWAY=perhaps", "RELAY_SECRET_KEY_FILE=/does/not/exist", "SLACK_BOT_TOKEN_FILE=/dev/null", "DISCORD_BOT_TOKEN_FILE=.",
		"BUSINESS_HOURS=9-17", `BUSINESS_HOURS={"timezone":"Mars"}`, `BUSINESS_HOURS={"timezone":"UTC"} and more`,
		"TELEGRAM_BOT_TOKEN=canary", "TELEGRAM_CHAT_ID=#support", "TELEGRAM_CHAT_ID=-100 123", "TELEGRAM_WEBHOOK_SECRET=not this one", "DISCORD_BOT_TOKEN=canary",
		"DISCORD_CHANNEL_ID=#support", "DISCORD_PUBLIC_KEY=abc", "SLACK_BOT_TOKEN=xoxp-canary", "SLACK_CHANNEL_ID=#support", "SLACK_SIGNING_SECRET=two words",
		"SLACK_APP_TOKEN=xoxb-canary", "EVENTS_WEBHOOK_URL=example.com/hook", "EVENTS_WEBHOOK_URL=http://:8080/hook", "EVENTS_WEBHOOK_HEADER_PREFIX=X Acme",
	} {
		t.Run(pair, func(t *testing.T) {
			_, _, err := load(t, nil, pair)
			var mistakes Mistakes
			if !errors.As(err, &mistakes) || len(mistakes) != 1 {
				t.Fatalf("err = %v, want one mistake", err)
			}
			name, _, _ := strings.Cut(pair, "=")
			if m := mistakes[0]; !strings.HasPrefix(m.Name, name) || m.Example == "" || strings.Contains(m.Text, "canary") {
				t.Errorf("mistake = %+v", m)
			}
		})
	}
}

func TestConfigReportsAllMistakesTogether(t *testing.T) {
	file := write(t, "bad.env", "PORT 80\nLOG_LEVEL=loud\nHOST='half\n")
	_, _, err := load(t, []string{"--prot=1", "--port", "--env-file", file},
		"RELAY_SETUP=all", "RELAY_SECRET_KEY=canary", "RELAY_SECRET_KEY_FILE=x", "DATABASE_URL=mysql://user:canary@host/db")
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"--prot is not a flag of relay; did you mean --port?",
		"--port needs a value", "for example: --port=8080",
		file + " line 1 is not of the form NAME=value",
		file + " line 3 has a quote without its partner",
		`LOG_LEVEL (` + file + `) is wrong: "loud" is not one of debug, info, warn, error`, "for example: LOG_LEVEL=debug",
		`RELAY_SETUP (environment) is wrong: "all" is not one of local, private, code, off`,
		"RELAY_SECRET_KEY and RELAY_SECRET_KEY_FILE are both set",
		"DATABASE_URL (environment) is wrong: its value is not an address that begins with sqlite:// or postgres://",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("a secret is shown:\n%v", err)
	}
}

// Mistakes are reported in the order of the settings, the same at every start.
func TestConfigOrdersMistakes(t *testing.T) {
	for range 20 {
		_, _, err := load(t, nil, "TELEGRAM_API_URL=a", "DISCORD_API_URL=b", "SLACK_API_URL=c")
		var mistakes Mistakes
		if !errors.As(err, &mistakes) || len(mistakes) != 3 {
			t.Fatalf("err = %v", err)
		}
		for i, name := range []string{"TELEGRAM_API_URL", "DISCORD_API_URL", "SLACK_API_URL"} {
			if !strings.HasPrefix(mistakes[i].Name, name) {
				t.Fatalf("mistake %d is %s", i, mistakes[i].Name)
			}
		}
	}
}

func TestConfigMissingEnvFile(t *testing.T) {
	_, _, err := load(t, []string{"--env-file", "/does/not/exist.env"})
	if err == nil || !strings.Contains(err.Error(), "--env-file cannot be read") {
		t.Errorf("err = %v", err)
	}
}

func TestConfigWarnsOfUnknownVariables(t *testing.T) {
	file := write(t, "my.env", "PROT=8080\nRELAY_PUBLIC_KEY_FILE=x\nCOLOUR=blue\nDISCORD_GATEWAY=true\nslack_token=x\n")
	_, warnings, err := load(t, []string{"--env-file", file}, "RELAY_SETPU=code", "RELAY_PORT=1", "TERM=xterm", "RELAY_SECRET_KEY=", "RELAYED=x",
		"TELEGRAM_CHATID=-1001", "discord_bot_token=x", "SLACK_WEBHOOK_URL=x", "HOME=/root", "AI_PROVIDER=x", "AI_MODEL=",
		"NATS_URL=x", "DISCORD_ENABLE_GATEWAY=true", "UA_FILTER_LIST=x", "LOG_DIR=/tmp")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"AI_PROVIDER (environment) is not a setting of relay",
		"COLOUR (" + file + ") is not a setting of relay",
		"DISCORD_ENABLE_GATEWAY (environment) is not a setting of relay; did you mean ENABLE_DISCORD_GATEWAY?",
		"DISCORD_GATEWAY (" + file + ") is not a setting of relay; did you mean ENABLE_DISCORD_GATEWAY?",
		"NATS_URL (environment) is not a setting of relay",
		"PROT (" + file + ") is not a setting of relay; did you mean PORT?",
		"RELAY_PORT (environment) is not a setting of relay; did you mean PORT?",
		"RELAY_PUBLIC_KEY_FILE (" + file + ") is not a setting of relay; did you mean RELAY_PUBLIC_KEY?",
		"RELAY_SETPU (environment) is not a setting of relay; did you mean RELAY_SETUP?",
		"SLACK_WEBHOOK_URL (environment) is not a setting of relay",
		"TELEGRAM_CHATID (environment) is not a setting of relay; did you mean TELEGRAM_CHAT_ID?",
		"UA_FILTER_LIST (environment) is not a setting of relay; did you mean UA_FILTER_MODE?",
		"discord_bot_token (environment) is not a setting of relay; did you mean DISCORD_BOT_TOKEN?",
		"slack_token (" + file + ") is not a setting of relay; did you mean SLACK_BOT_TOKEN?",
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("warnings = %s", strings.Join(warnings, "\n"))
	}
}

func TestEnvFileForms(t *testing.T) {
	values, mistakes := parseEnvFile("f", "\ufeff# comment\r\nA=1\r\n export B = two words # comment\nC=\"a # $b\" # c\nD='x=y'\nE=\nF=a#b\nG=pa$$word\n\n")
	want := map[string]string{"A": "1", "B": "two words", "C": "a # $b", "D": "x=y", "E": "", "F": "a#b", "G": "pa$$word"}
	if fmt.Sprint(values) != fmt.Sprint(want) || mistakes != nil {
		t.Errorf("values = %q, mistakes = %v", values, mistakes)
	}
}

// Signs around a value are invisible, so they are named.
func TestConfigReportsInvisibleCharacters(t *testing.T) {
	for text, named := range map[string]bool{"1:canary ": true, "1:canary\n": true, "\ufeff1:canary": true, `"1:canary"`: true, "“1:canary”": true, "canary": false} {
		_, _, err := load(t, nil, "TELEGRAM_BOT_TOKEN="+text)
		if err == nil || strings.Contains(err.Error(), "around it") != named || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Some programs on Windows write UTF-16.
func TestEnvFileOfUTF16(t *testing.T) {
	if _, mistakes := parseEnvFile("f", "\xff\xfeP\x00O\x00\n\x00R\x00T\x00"); len(mistakes) != 1 || !strings.Contains(mistakes.Error(), "f is not UTF-8") {
		t.Errorf("mistakes = %v", mistakes)
	}
}

func FuzzEnvFile(f *testing.F) {
	f.Add("PORT=80\nHOST='a' # b\nexport X=\"y\"")
	f.Fuzz(func(t *testing.T, text string) {
		values, _ := parseEnvFile("f", text)
		for name := range values {
			if name == "" || strings.ContainsAny(name, "=\n") {
				t.Errorf("name %q", name)
			}
		}
	})
}

func TestFlags(t *testing.T) {
	f := variables.ParseFlags([]string{"backup", "--port", "1", "FILE", "--", "--port"})
	if !slices.Equal(f.Args, []string{"backup", "FILE", "--port"}) || f.values["PORT"] != "1" {
		t.Errorf("flags = %+v", f)
	}
	if f := variables.ParseFlags([]string{"keys", "-h"}); !f.Help || f.Args[0] != "keys" {
		t.Errorf("flags = %+v", f)
	}
	if f := variables.ParseFlags([]string{"--version"}); !f.Version {
		t.Errorf("flags = %+v", f)
	}
}

func TestSecretShowsNothing(t *testing.T) {
	s := Secret("canary")
	encoded, _ := json.Marshal(map[string]any{"s": s, "c": Config{SecretKey: s}})
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s, "c", Config{IdentitySecret: s})
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "s", s, "c", Config{IdentitySecret: s})
	for _, text := range []string{string(encoded), log.String(), fmt.Sprintf("%v %s %q %#v %+v %x", s, s, s, s, Config{SecretKey: s}, s)} {
		if strings.Contains(text, "canary") || strings.Contains(text, "63616e617279") {
			t.Errorf("the secret is shown in %s", text)
		}
	}
	if Secret("").String() != "" {
		t.Error("no secret looks like one")
	}
}

// Backups of the file are for SQLite: with PostgreSQL there is none.
func TestBackupsNeedSQLite(t *testing.T) {
	_, _, err := load(t, nil, "BACKUP_DIR=backups", "DATABASE_URL=postgres://localhost/relay")
	if err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Error(err)
	}
}
