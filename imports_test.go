package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type arrow struct {
	pkg string
	may []string
}

// home is where the module lives; the table leaves it out.
const home = "github.com/relay-chat/"

// arrows says what each package may import beside the standard library. A package
// that is not named here has no place in the architecture yet: give it one.
var arrows = []arrow{
	{"relay/server/chat", nil},
	{"relay/server/engine/nodes", []string{"relay/server/chat"}},
	{"relay/server/engine/hub", []string{"relay/server/chat"}},
	{"relay/server/engine/queue", []string{"relay/server/chat", "relay/server/engine/hub", "relay/server/engine/nodes"}},
	{"relay/server/engine", []string{"relay/server/chat", "relay/server/engine"}},
	{"relay/server/remote", []string{"relay/server/chat"}},
	{"relay/server/mcp", []string{"relay/server/remote", "github.com/google/jsonschema-go", "github.com/modelcontextprotocol/go-sdk"}},
	{"relay/server/oauth", []string{"relay/server/chat", "github.com/modelcontextprotocol/go-sdk", "golang.org/x/oauth2"}},
	{"relay/server/words", []string{"golang.org/x/text"}},
	{"relay/schema", nil},
	{"relay/assets", nil},
	{"relay/server/e2e/ports", nil},
	{"relay/assets/axetest", []string{"github.com/chromedp/chromedp"}},
	{"relay/assets/browsertest", []string{"github.com/chromedp/chromedp"}},
	{"relay/assets/build", []string{"relay/assets", "github.com/evanw/esbuild"}},
	{"relay/assets/build/bundle", []string{"relay/assets/build/openapi", "relay/assets/build/texts", "relay/schema", "github.com/evanw/esbuild", "github.com/yuin/goldmark", "golang.org/x/image"}},
	{"relay/assets/build/openapi", []string{"go.yaml.in/yaml/v3"}},
	{"relay/assets/build/texts", nil},
	{"relay/db/digest", []string{"relay/server/chat"}},
	{"relay/db", []string{"relay/db/digest", "relay/server/chat", "relay/server/words", "relay/schema", "github.com/jmoiron/sqlx", "github.com/golang-migrate/migrate/v4",
		"github.com/jackc/pgx/v5", "modernc.org/sqlite", "github.com/gofrs/flock", "golang.org/x/sys"}},
	{"relay/db/dbtest", []string{"relay/db", "relay/server/chat", "github.com/jackc/pgx/v5"}},
	{"relay/bridges", []string{"relay/server/engine", "relay/server/chat", "relay/server/team", "relay/bridges"}},
	{"relay/bridges/platform", []string{"relay/server/chat"}},
	{"relay/bridges/mirror", []string{"relay/bridges/mirror/inbound", "relay/bridges/mirror/outbound", "relay/bridges/mirror/access", "relay/server/chat", "relay/server/engine"}},
	{"relay/bridges/mirror/inbound", []string{"relay/bridges/mirror/access", "relay/server/chat", "relay/server/engine"}},
	{"relay/bridges/mirror/outbound", []string{"relay/bridges/cache", "relay/bridges/mirror/access", "relay/server/chat", "relay/server/engine"}},
	{"relay/bridges/mirror/access", []string{"relay/bridges/cache", "relay/server/chat", "relay/server/engine"}},
	{"relay/bridges/bridgetest", []string{"relay/server/chat", "relay/server/engine", "relay/bridges/mirror", "relay/db"}},
	{"relay/bridges/cache", nil},
	{"relay/bridges/call", []string{"relay/server/chat"}},
	{"relay/bridges/cut", nil},
	{"relay/bridges/marks", []string{"golang.org/x/text/unicode/norm"}},
	{"relay/bridges/naming", []string{"relay/bridges/cut", "relay/server/chat"}},
	{"relay/bridges/reception", []string{"relay/server/chat"}},
	{"relay/bridges/voice", []string{"relay/server/chat"}},
	{"relay/bridges/discord", []string{"relay/server/engine", "relay/bridges/cache", "relay/bridges/call", "relay/bridges/cut", "relay/bridges/naming", "relay/bridges/platform", "relay/bridges/reception", "relay/bridges/voice", "relay/server/chat",
		"github.com/bwmarrin/discordgo", "github.com/gorilla/websocket"}},
	{"relay/bridges/slack", []string{"relay/bridges/cache", "relay/bridges/call", "relay/bridges/cut", "relay/bridges/marks", "relay/bridges/naming", "relay/bridges/platform", "relay/bridges/reception", "relay/server/chat", "github.com/slack-go/slack", "github.com/gorilla/websocket"}},
	{"relay/bridges/telegram", []string{"relay/server/engine", "relay/bridges/call", "relay/bridges/cut", "relay/bridges/marks", "relay/bridges/naming", "relay/bridges/platform", "relay/bridges/reception", "relay/bridges/voice", "relay/server/chat",
		"github.com/PaulSonOfLars/gotgbot/v2", "golang.org/x/time"}},
	{"relay/bridges/discord/discordtest", []string{"relay/bridges/bridgetest", "github.com/gorilla/websocket"}},
	{"relay/bridges/slack/slacktest", []string{"relay/bridges/bridgetest", "github.com/gorilla/websocket"}},
	{"relay/bridges/telegram/telegramtest", []string{"relay/bridges/bridgetest"}},
	{"relay/bridges/guard", []string{"code.dny.dev/ssrf"}},
	{"relay/bridges/apart", []string{"golang.org/x/sys"}},
	{"relay/bridges/knowledge", []string{"relay/bridges/apart", "relay/bridges/guard", "relay/server/chat", "relay/server/words",
		"github.com/ledongthuc/pdf", "golang.org/x/net", "golang.org/x/text"}},
	{"relay/bridges/ai", []string{"relay/server/engine", "relay/bridges/ai/act", "relay/bridges/ai/verify", "relay/bridges/marks", "relay/server/chat", "relay/server/words", "github.com/sashabaranov/go-openai", "golang.org/x/net"}},
	{"relay/bridges/ai/act/openapi", []string{"relay/bridges/ai/act", "relay/bridges/apart", "relay/server/chat", "go.yaml.in/yaml/v3", "github.com/modelcontextprotocol/go-sdk"}},
	{"relay/bridges/ai/act", []string{"relay/server/chat", "github.com/google/jsonschema-go", "github.com/modelcontextprotocol/go-sdk"}},
	{"relay/bridges/ai/aitest", nil},
	{"relay/bridges/ai/verify", []string{"relay/server/words"}},
	{"relay/bridges/push", []string{"relay/server/engine", "relay/bridges/guard", "relay/server/chat", "relay/server/team", "github.com/SherClockHolmes/webpush-go"}},
	{"relay/bridges/push/pushtest", nil},
	{"relay/bridges/mail", []string{"relay/bridges/apart", "relay/bridges/cut", "relay/bridges/mail/incoming", "relay/bridges/mail/mailbox", "relay/bridges/mail/oauth", "relay/server/engine", "relay/server/chat", "github.com/wneessen/go-mail", "golang.org/x/time"}},
	{"relay/bridges/mail/incoming", []string{"relay/bridges/apart", "relay/bridges/mail/quote", "relay/server/chat", "github.com/emersion/go-message", "github.com/emersion/go-msgauth", "golang.org/x/text"}},
	{"relay/bridges/mail/oauth", []string{"relay/bridges/guard", "relay/server/chat", "golang.org/x/oauth2", "golang.org/x/sync"}},
	{"relay/bridges/mail/mailbox", []string{"relay/bridges/mail/oauth", "relay/server/chat", "github.com/emersion/go-imap/v2", "github.com/emersion/go-sasl"}},
	{"relay/bridges/mail/quote", []string{"golang.org/x/net"}},
	{"relay/bridges/mail/mailtest", []string{"github.com/emersion/go-smtp", "github.com/emersion/go-sasl", "github.com/emersion/go-imap/v2"}},
	{"relay/bridges/webhook", []string{"relay/bridges/guard", "relay/server/chat"}},
	{"relay/bridges/signon", []string{"relay/bridges/guard", "relay/server/chat", "github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"}},
	{"relay/bridges/signon/signontest", []string{"github.com/go-jose/go-jose/v4"}},
	{"relay/server/config", []string{"relay/server/chat", "github.com/caarlos0/env/v11", "go.yaml.in/yaml/v3"}},
	{"relay/server/team", []string{"relay/server/chat"}},
	{"relay/server/statistics", []string{"relay/server/chat"}},
	{"relay/server/privacy", []string{"relay/server/engine", "relay/server/chat"}},
	{"relay/server/moving", []string{"relay/server/engine", "relay/server/chat"}},
	{"relay/server/keyring", []string{"relay/server/chat", "relay/server/config", "relay/server/team"}},
	{"relay/server/limits", []string{"relay/server/engine/nodes"}},
	{"relay/server/backlog", []string{"relay/server/chat"}},
	{"relay/server/web", []string{"relay/assets", "relay/server/chat", "relay/server/config", "relay/server/engine", "relay/server/limits", "relay/server/team", "github.com/gorilla/mux", "golang.org/x/text", "rsc.io/qr"}},
	{"relay/server/password", []string{"golang.org/x/crypto", "github.com/ccojocar/zxcvbn-go"}},
	{"relay/server/passkey", []string{"github.com/go-webauthn/webauthn"}},
	{"relay/server/passkey/passkeytest", nil},
	{"relay/server/onetime", []string{"github.com/pquerna/otp"}},
	{"relay/server/account", []string{"relay/server/engine", "relay/server/chat", "relay/server/keyring", "relay/server/oauth", "relay/server/onetime", "relay/server/passkey", "relay/server/password", "relay/server/team", "relay/server/web", "golang.org/x/image", "golang.org/x/sync"}},
	{"relay/server/learning", []string{"relay/server/engine", "relay/server/chat", "relay/server/web"}},
	{"relay/server", []string{"relay/server/account", "relay/server/learning", "relay/server/backlog", "relay/server/engine", "relay/server/chat", "relay/server/config", "relay/server/keyring", "relay/server/limits", "relay/server/mcp", "relay/server/moving", "relay/server/oauth", "relay/server/privacy", "relay/server/remote", "relay/server/statistics", "relay/server/team", "relay/server/web", "relay/server/words", "relay/assets", "github.com/standard-webhooks/standard-webhooks/libraries/go",
		"github.com/gorilla/mux", "golang.org/x/image", "golang.org/x/sync", "rsc.io/qr"}},
	{"relay/server/watch", []string{"relay/server/engine", "relay/server/chat", "github.com/VictoriaMetrics/metrics"}},
	{"relay/server/cli", []string{"relay/server/mcp", "relay/server/remote", "golang.org/x/term"}},
	{"relay/server/commands", []string{"relay/server", "relay/server/account", "relay/server/chat", "relay/server/cli", "relay/server/config", "relay/server/engine", "relay/server/keyring", "relay/server/moving", "relay/server/privacy", "relay/server/team"}},
	{"relay/server/systemd", []string{"github.com/coreos/go-systemd/v22"}},
	{"relay/server/e2e", nil},
	{"relay", []string{"relay"}},
}

// The arrows between packages go one way: main → {server, bridges} → server/engine →
// server/chat, and db → server/chat.
func TestImports(t *testing.T) {
	format := `{{if not .Standard}}{{.ImportPath}} {{join .Imports " "}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", format, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(out), home, "")) {
		words := strings.Fields(line)
		imports[words[0]] = words[1:]
	}
	for pkg, list := range imports {
		if !within(pkg, "relay") {
			continue
		}
		rule := slices.IndexFunc(arrows, func(a arrow) bool { return a.pkg == pkg })
		if rule < 0 {
			t.Errorf("%s has no place in the architecture", pkg)
			continue
		}
		for _, imported := range list {
			_, known := imports[imported] // the others are of the standard library
			if known && !slices.ContainsFunc(arrows[rule].may, func(may string) bool { return within(imported, may) }) {
				t.Errorf("%s must not import %s", pkg, imported)
			}
		}
	}
}

// TestNothingIsCalledByName: the program executes no templates. They call methods
// by name, and the linker would keep all of every library's, 6 MB more.
func TestNothingIsCalledByName(t *testing.T) {
	program := filepath.Join(t.TempDir(), "relay")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	symbols, err := exec.Command("go", "tool", "nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(symbols), "main.main") || strings.Contains(string(symbols), "text/template.(*state)") {
		t.Error("the program executes templates")
	}
}

// within reports whether pkg is dir or below it.
func within(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }
