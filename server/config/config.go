// Package config reads relay's settings from flags, the environment and files, and
// reports all mistakes together, each with an example. It imports package chat for
// the names of the settings that operators can change later.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/relay-chat/relay/server/chat"
)

// Config is what an operator decides before relay starts. A setting is one
// line here and one entry in relay.example.env, which explains it: the tag is
// says what a value must be, in the words of the report of mistakes, and
// example shows one. A setting of type [Secret] can also come from a file.
type Config struct {
	Mode                chat.Mode      `env:"RELAY_MODE" envDefault:"community" is:"community or bridge" example:"bridge"`
	Host                string         `env:"HOST" is:"a host name or an IP address without a port" example:"127.0.0.1"`
	Port                uint16         `env:"PORT" envDefault:"3000" is:"a number from 0 to 65535" example:"8080"`
	PublicURL           string         `env:"PUBLIC_URL" is:"an address that begins with https:// or http://" example:"https://chat.example.com"`
	DatabaseURL         Secret         `env:"DATABASE_URL" envDefault:"sqlite://relay.db" is:"an address that begins with sqlite:// or postgres://, special characters in its password written like %23 for #" example:"sqlite:///var/lib/relay/relay.db"`
	DatabaseDirectURL   Secret         `env:"DATABASE_DIRECT_URL" is:"an address that begins with postgres://, special characters in its password written like %23 for #" example:"postgres://relay:secret@db:5432/relay"`
	BackupDir           string         `env:"BACKUP_DIR" is:"a folder" example:"backups"`
	BackupKeep          int            `env:"BACKUP_KEEP" envDefault:"7" is:"a number from 1 to 3650" example:"30"`
	Setup               Setup          `env:"RELAY_SETUP" envDefault:"local" is:"one of local, private, code, off" example:"code"`
	PublicKey           string         `env:"RELAY_PUBLIC_KEY" is:"at least 8 letters, digits, _ or -" example:"pk_8f14e45fceea167a5a36dedd4bea2543a8c7d1f2"`
	SecretKey           Secret         `env:"RELAY_SECRET_KEY" is:"at least 8 letters, digits, _ or -" example:"sk_c9f0f895fb98ab9159f51fd0297e236d06f4b3a1"`
	APIKey              Secret         `env:"API_KEY" is:"a text of letters, digits and signs without spaces" example:"rk_45c48cce2e2d7fbdea1afc51c7c6ad26b2b1c1d3"`
	AllowedOrigins      []string       `env:"ALLOWED_ORIGINS" is:"a list of origins, separated by commas, their names in the form that begins with xn-- if they have letters like ü" example:"https://example.com,https://shop.example.com"`
	SitesFile           string         `env:"SITES_FILE" is:"a YAML or JSON file" example:"sites.yaml"`
	TrustedProxies      []netip.Prefix `env:"TRUSTED_PROXIES" envDefault:"127.0.0.0/8,::1/128" is:"a list of networks or addresses, separated by commas, or none" example:"127.0.0.0/8,::1/128,10.0.0.0/8"`
	IdentitySecret      Secret         `env:"IDENTITY_SECRET" is:"at least 8 characters long" example:"b1946ac92492d2347c6235b4d2611184"`
	IdentityRequired    bool           `env:"IDENTITY_REQUIRED" envDefault:"false" is:"true or false" example:"true"`
	RequireSessionToken bool           `env:"REQUIRE_SESSION_TOKEN" envDefault:"false" is:"true or false" example:"true"`
	RateLimit           bool           `env:"RATE_LIMIT" envDefault:"true" is:"true or false" example:"false"`
	WebhookRetries      int            `env:"EVENTS_WEBHOOK_RETRIES" envDefault:"9" is:"a number from 0 to 9" example:"0"`
	WebhookAllowCIDRs   []netip.Prefix `env:"WEBHOOK_ALLOW_CIDRS" is:"a list of networks or addresses, separated by commas" example:"10.1.0.0/16,fd12::/16"`
	UAFilterEnabled     bool           `env:"UA_FILTER_ENABLED" envDefault:"false" is:"true or false" example:"true"`
	UAFilterMode        FilterMode     `env:"UA_FILTER_MODE" envDefault:"blocklist" is:"blocklist, allowlist or both" example:"allowlist"`
	UAFilterBlocklist   AgentList      `env:"UA_FILTER_BLOCKLIST" is:"a list of texts or /regular expressions/, separated by commas" example:"curl,python-requests,/bot|crawler/"`
	UAFilterAllowlist   AgentList      `env:"UA_FILTER_ALLOWLIST" is:"a list of texts or /regular expressions/, separated by commas" example:"Mozilla,/^acme-backend/"`
	UAFilterBots        bool           `env:"UA_FILTER_USE_DEFAULT_BOTS" envDefault:"true" is:"true or false" example:"false"`
	MetricsAddr         string         `env:"METRICS_ADDR" is:"an address and a port to listen on" example:"127.0.0.1:9091"`
	LogLevel            slog.Level     `env:"LOG_LEVEL" envDefault:"info" is:"one of debug, info, warn, error" example:"debug"`
	LogFormat           LogFormat      `env:"LOG_FORMAT" envDefault:"text" is:"text or json" example:"json"`

	// Settings are the values that the environment gives for the settings of
	// the admin API, by their name there (see [chat.SettingList]).
	Settings map[string]chat.Raw `env:"-"`
	// Sites are the websites that SITES_FILE declares, nil for none (see [ReadSites]).
	Sites *chat.SitesFile `env:"-"`
}

// Defaults of the bridge server. Its events are in memory, so it does not retry them
// for days.
const (
	bridgePort    = 3001
	bridgeRetries = 3
)

// Setup decides who may see the keys at the first start.
type Setup string

// Keys are shown to a browser on the same machine, also to one in a private network,
// only to holders of the set-up code, or to nobody.
const (
	SetupLocal   Setup = "local"
	SetupPrivate Setup = "private"
	SetupCode    Setup = "code"
	SetupOff     Setup = "off"
)

// LogFormat is the format of log lines.
type LogFormat string

// Text is for people, JSON for programs.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// Secret is a text that never shows itself: not in logs, not in JSON, not in
// messages. Code that needs it converts it to a string.
type Secret string

const redacted = "[redacted]"

// String returns a text that says no more than whether there is a secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString is for %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// LogValue is for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON is for encoding/json.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// errMalformed is what a parser answers; the tag is of the field says the rest.
var errMalformed = errors.New("malformed")

// parsers read the types that the env library does not know or reads more
// narrowly than people write them.
var parsers = map[reflect.Type]env.ParserFunc{
	reflect.TypeFor[chat.Mode]():      oneOf(chat.ModeCommunity, chat.ModeBridge),
	reflect.TypeFor[Setup]():          oneOf(SetupLocal, SetupPrivate, SetupCode, SetupOff),
	reflect.TypeFor[LogFormat]():      oneOf(LogText, LogJSON),
	reflect.TypeFor[FilterMode]():     oneOf(FilterBlocklist, FilterAllowlist, FilterBoth),
	reflect.TypeFor[AgentList]():      func(text string) (any, error) { return parseAgents(text) },
	reflect.TypeFor[bool]():           func(text string) (any, error) { return parseBool(text) },
	reflect.TypeFor[[]string]():       func(text string) (any, error) { return splitList(text), nil },
	reflect.TypeFor[[]netip.Prefix](): func(text string) (any, error) { return parseNetworks(text) },
}

func oneOf[T ~string](allowed ...T) env.ParserFunc {
	return func(text string) (any, error) {
		if v := T(strings.ToLower(text)); slices.Contains(allowed, v) {
			return v, nil
		}
		return nil, errMalformed
	}
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "1":
		return true, nil
	case "false", "off", "no", "0":
		return false, nil
	}
	return false, errMalformed
}

func splitList(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// parseNetworks reads networks like 10.0.0.0/8; an address stands for itself.
func parseNetworks(text string) ([]netip.Prefix, error) {
	if strings.EqualFold(text, "none") {
		return nil, nil
	}
	var networks []netip.Prefix
	for _, part := range splitList(text) {
		if addr, err := netip.ParseAddr(part); err == nil {
			networks = append(networks, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(part)
		if err != nil {
			return nil, errMalformed
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

// isKey keeps keys out of the way of quoting in HTML, URLs and shells.
var isKey = chat.Pattern(`[A-Za-z0-9_-]+`)

// check looks at what a type alone cannot say, brings values into their usual
// form and returns the names of the variables that are wrong.
func (c *Config) check() (wrong []string) {
	expect := func(name string, ok bool) {
		if !ok {
			wrong = append(wrong, name)
		}
	}
	c.Host = strings.Trim(c.Host, "[]")
	expect("HOST", isHost(c.Host))
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	expect("PUBLIC_URL", c.PublicURL == "" || chat.IsBaseURL(c.PublicURL))
	expect("DATABASE_URL", c.DatabaseURL == "" || isDatabaseURL(string(c.DatabaseURL)))
	expect("DATABASE_DIRECT_URL", c.DatabaseDirectURL == "" || isDatabaseURL(string(c.DatabaseDirectURL)) && !strings.HasPrefix(string(c.DatabaseDirectURL), "sqlite:"))
	expect("RELAY_PUBLIC_KEY", c.PublicKey == "" || len(c.PublicKey) >= 8 && isKey(c.PublicKey))
	expect("RELAY_SECRET_KEY", c.SecretKey == "" || len(c.SecretKey) >= 8 && isKey(string(c.SecretKey)))
	expect("API_KEY", isHeaderText(string(c.APIKey)))
	expect("IDENTITY_SECRET", c.IdentitySecret == "" || len(c.IdentitySecret) >= 8)
	expect("METRICS_ADDR", c.MetricsAddr == "" || isListenAddress(c.MetricsAddr))
	expect("ALLOWED_ORIGINS", c.tidyOrigins())
	return append(wrong, c.outOfRange()...)
}

// outOfRange returns the numbers that are not what their tag is says.
func (c *Config) outOfRange() (wrong []string) {
	fields := reflect.ValueOf(*c)
	for i := range fields.NumField() {
		var least, most int64
		tag := fields.Type().Field(i).Tag
		if n, _ := fmt.Sscanf(tag.Get("is"), "a number from %d to %d", &least, &most); n < 2 || !fields.Field(i).CanInt() {
			continue
		}
		if n := fields.Field(i).Int(); n < least || n > most {
			wrong = append(wrong, tag.Get("env"))
		}
	}
	return wrong
}

// tidyOrigins brings the allowed origins into the form in which browsers send
// theirs and reports whether all of them are origins. A * stands for any.
func (c *Config) tidyOrigins() bool {
	if slices.Contains(c.AllowedOrigins, "*") {
		c.AllowedOrigins = nil
	}
	for i, given := range c.AllowedOrigins {
		origin, ok := chat.TidyOrigin(given)
		if !ok {
			return false
		}
		c.AllowedOrigins[i] = origin
	}
	return true
}

// isHeaderText reports whether a header can carry the text as it is.
func isHeaderText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

func isHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return !strings.ContainsAny(host, ":/ []")
}

// isListenAddress reports whether text is an address with a port, or a port behind
// a colon for all addresses.
func isListenAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	_, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && bad == nil && isHost(host)
}

func isDatabaseURL(text string) bool {
	if path, ok := strings.CutPrefix(text, "sqlite://"); ok {
		return path != ""
	}
	u, err := url.Parse(text)
	_, rest, _ := strings.Cut(text, "://")
	rest, _, _ = strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	// An @, / or # of the password as it is would put a part of it into the host's
	// or the database's name, which the errors show.
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") && u.Fragment == "" &&
		strings.Count(host, "@") < 2 && !strings.Contains(path, "@")
}

// conflicts returns what is wrong between settings that are right in
// themselves.
func (c *Config) conflicts() (mistakes []Mistake) {
	if c.IdentityRequired && c.IdentitySecret == "" {
		mistakes = append(mistakes, Mistake{"IDENTITY_REQUIRED", "needs IDENTITY_SECRET, or nobody could be verified", "IDENTITY_SECRET=" + configVariables().exampleFor("IDENTITY_SECRET")})
	}
	if c.BackupDir != "" && !strings.HasPrefix(string(c.DatabaseURL), "sqlite://") {
		mistakes = append(mistakes, Mistake{"BACKUP_DIR", "is for SQLite files: leave it out, and back PostgreSQL up with pg_dump", ""})
	}
	if c.PublicKey != "" && c.PublicKey == string(c.SecretKey) {
		mistakes = append(mistakes, Mistake{"RELAY_SECRET_KEY", "is the public key, which everybody sees", "RELAY_SECRET_KEY=" + configVariables().exampleFor("RELAY_SECRET_KEY")})
	}
	return mistakes
}

// FileSeal makes the seal of links to operators' files. It is made of the
// secrets that are configured, so that links outlive a restart; without any it
// is of this run only.
func (c *Config) FileSeal(settings []chat.Setting) (*chat.FileSeal, error) {
	secrets := string(c.APIKey)
	for _, def := range settings {
		if def.Secret {
			secrets += "\n" + string(c.Settings[def.Name])
		}
	}
	if strings.TrimSpace(secrets) == "" {
		secrets = chat.NewToken()
	}
	return chat.NewFileSeal(secrets, c.PublicURL)
}

// OriginsOf lists the origins of a site's pages, of which none means any: the first one's are
// ALLOWED_ORIGINS.
func (c *Config) OriginsOf(site *chat.Site) []string {
	if site.ID == "" {
		return c.AllowedOrigins
	}
	return site.Origins.V
}

// Volatile reports whether all state is in memory and lost when relay ends.
func (c *Config) Volatile() bool { return c.Mode == chat.ModeBridge && c.DatabaseURL == "" }

// Logger returns the logger that LOG_LEVEL and LOG_FORMAT describe. What the
// journal notes of every line itself, a text log leaves to it.
func (c *Config) Logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: hideIDs}
	if c.LogFormat == LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	if isJournal(w) {
		w, options.ReplaceAttr = journal{w}, func(groups []string, a slog.Attr) slog.Attr { return hideIDs(groups, noTime(groups, a)) }
	}
	return slog.New(slog.NewTextHandler(w, options))
}
