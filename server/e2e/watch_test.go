package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

var (
	metricsAddress = regexp.MustCompile(`address=(http://\S+)/metrics`)
	metricName     = regexp.MustCompile(`\b(?:relay|go|process)_[a-z_]+\b`)
)

// metricsURL is where an instance answers on its second listener.
func (in *instance) metricsURL(t *testing.T) string {
	t.Helper()
	var found []string
	eventually(t, "the log names the address for metrics", func() bool {
		found = metricsAddress.FindStringSubmatch(in.stderr.String())
		return found != nil
	})
	return found[1]
}

// fetch returns the status and the body of an address.
func fetch(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// namesIn are the names of metrics in a text, without those that a histogram has
// beside its own.
func namesIn(text string) []string {
	names := metricName.FindAllString(text, -1)
	for i, name := range names {
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			if base, cut := strings.CutSuffix(name, end); cut && strings.HasPrefix(name, "relay_") {
				names[i] = base
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestWatch lets a conversation pass over a platform and a webhook and looks at
// relay's metrics: they count it, and dashboard, alerts and guide know all names.
func TestWatch(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"watch/grafana.json", "watch/alerts.yml", "guides/operations.md"} {
		data, err := os.ReadFile("../../assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer hook.Close()
	f := telegramtest.New(t)
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db", "METRICS_ADDR=127.0.0.1:0", "EVENTS_WEBHOOK_URL="+hook.URL,
		"TELEGRAM_BOT_TOKEN="+f.Token, fmt.Sprint("TELEGRAM_CHAT_ID=", f.Group), "TELEGRAM_API_URL="+f.URL)
	metrics := in.metricsURL(t) + "/metrics"
	in.call(t, "POST", in.base+"/api/admin/sites", in.secret, map[string]any{"name": "Berlin"}, nil)
	session := in.say(t, "Is it free?")
	eventually(t, "the visitor's message is in a topic", func() bool { return strings.Contains(shown(f), "Is it free?") })
	f.Write(f.Threads()[0].Ref, "Ada", "It is.", "")
	eventually(t, "the operator's answer arrives", func() bool { return strings.Contains(in.history(t, session), "It is.") })
	var scrape string
	eventually(t, "the metrics show the conversation", func() bool {
		_, scrape = fetch(t, metrics)
		return containsAll(scrape, `relay_http_requests_total{method="POST",route="/api/widget/messages",status="200"} 1`,
			`relay_deliveries_total{dest="webhook",outcome="delivered"}`, `relay_deliveries_total{dest="telegram",outcome="given_up"} 0`,
			`relay_deliveries_waiting{dest="webhook"} 0`, `relay_deliveries_waiting{dest="telegram"} 0`, `relay_inbox_waiting{bridge="telegram"} 0`,
			`relay_bridge_state{bridge="telegram",state="running"} 1`, `relay_streams{reader="visitor"} 0`, "relay_scrape_errors 0",
			`relay_site_waiting{site="main"} 0`, `relay_site_waiting{site="berlin"} 0`)
	})
	annotated(t, scrape)
	have := append(namesIn(scrape), "relay_nodes", "relay_lease_held") // with PostgreSQL only: see TestNodes
	for file, text := range files {
		for _, name := range namesIn(text) {
			if !slices.Contains(have, name) {
				t.Errorf("%s has %s, relay has no such metric", file, name)
			}
		}
	}
	for _, name := range have {
		if strings.HasPrefix(name, "relay_") && !strings.Contains(files["guides/operations.md"], "`"+name) {
			t.Errorf("the guide on operations does not explain %s", name)
		}
	}
}

// TestBridgeWatch: bridge mode has metrics, too, with what it has no database for
// left out.
func TestBridgeWatch(t *testing.T) {
	t.Chdir(t.TempDir())
	in := launch(t, bridgeLines, []string{"bridge"}, []string{"METRICS_ADDR=127.0.0.1:0", "API_KEY=" + backendKey})
	_, scrape := fetch(t, in.metricsURL(t)+"/metrics")
	if !containsAll(scrape, `relay_streams{reader="backend"} 0`, `relay_deliveries_waiting{dest="webhook"} 0`, "relay_scrape_errors 0") ||
		strings.Contains(scrape, "relay_database_size_bytes") {
		t.Errorf("it answers %s", scrape)
	}
}

// TestAlerts: every rule says what to do, in a form that Prometheus reads.
func TestAlerts(t *testing.T) {
	text, err := os.ReadFile("../../assets/watch/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	rules := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			rules++
			if r.Alert == "" || r.Expr == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["fix"] == "" ||
				strings.Count(r.Expr, "(") != strings.Count(r.Expr, ")") {
				t.Errorf("%+v is not whole", r)
			}
		}
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	picture, err := os.ReadFile("../../assets/watch/grafana.json")
	if err == nil {
		err = json.Unmarshal(picture, &board)
	}
	if err != nil || rules < 10 || len(board.Panels) < 10 {
		t.Errorf("%d rules, %d panels, %v", rules, len(board.Panels), err)
	}
}

// TestProfilesStayOnTheMachine: only a listener on the loopback shows profiles,
// never the command line, and to no page whose name leads there.
func TestProfilesStayOnTheMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	local := boot(t, "METRICS_ADDR=127.0.0.1:0").metricsURL(t)
	open := boot(t, "METRICS_ADDR=:0", "DATABASE_URL=sqlite://open.db").metricsURL(t)
	open = "http://127.0.0.1" + open[strings.LastIndex(open, ":"):]
	for _, tt := range []struct {
		url  string
		want int
	}{
		{local + "/metrics", 200}, {local + "/debug/pprof/", 200}, {local + "/debug/pprof/goroutine?debug=1", 200}, {local + "/debug/pprof/cmdline", 404},
		{local + "/", 404}, {local + "/api/admin/sessions", 404},
		{open + "/metrics", 200}, {open + "/debug/pprof/", 404}, {open + "/debug/pprof/heap", 404}, {open + "/debug/pprof/cmdline", 404},
	} {
		if status, _ := fetch(t, tt.url); status != tt.want {
			t.Errorf("%s answers %d, want %d", tt.url, status, tt.want)
		}
	}
	for _, path := range []string{"/metrics", "/debug/pprof/heap"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, local+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "evil.example"
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("a page of another name reads %s: %d", path, resp.StatusCode)
		}
	}
	if code, _, stderr := runCommand(t, []string{"METRICS_ADDR=" + strings.TrimPrefix(local, "http://"), "DATABASE_URL=sqlite://other.db", "PORT=0"}, "serve"); code != 1 ||
		!strings.Contains(stderr, "choose another port") {
		t.Errorf("a port that is taken: %d %s", code, stderr)
	}
}

// annotated fails unless each metric has one HELP and one TYPE before all of its samples,
// which stand together.
func annotated(t *testing.T, scrape string) {
	t.Helper()
	const word = `([a-zA-Z_:][\w:]*)`
	metric := regexp.MustCompile(`^# HELP ` + word + ` \S.*\n# TYPE ` + word + ` (counter|gauge|histogram|summary)\n((?:[^#].*\n)+)`)
	seen := map[string]bool{}
	for rest := scrape; rest != ""; {
		m := metric.FindStringSubmatch(rest)
		if m == nil || m[1] != m[2] || seen[m[1]] {
			t.Fatalf("not the metadata of a metric, or for the second time: %.200q", rest)
		}
		seen[m[1]] = true
		for sample := range strings.Lines(m[4]) {
			name, _, _ := strings.Cut(strings.Fields(sample)[0], "{")
			if ending := strings.TrimPrefix(name, m[1]); ending != "" && !(m[3] == "histogram" && ending == "_bucket") && !((m[3] == "histogram" || m[3] == "summary") && (ending == "_sum" || ending == "_count")) {
				t.Errorf("%s stands below %s", name, m[1])
			}
		}
		rest = rest[len(m[0]):]
	}
	for name := range seen {
		if strings.HasPrefix(name, "relay_") && strings.Contains(scrape, "# HELP "+name+" "+strings.ReplaceAll(name, "_", " ")) {
			t.Errorf("%s is not explained", name)
		}
	}
}
