package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/gorilla/securecookie"

	"relay/bridges"
	"relay/db"
	"relay/server/chat"
	"relay/server/config"
)

// Checkup is what relay doctor found about one thing.
type Checkup struct {
	Name     string
	Findings []chat.Finding
}

// Examine looks at everything that relay needs: the database, of which
// databaseErr tells why it could not be used, the public address, and each
// bridge under these settings. running is what a relay that runs says of its
// bridges (see [AskBridges]).
func Examine(ctx context.Context, cfg config.Config, settings *chat.Settings, databaseErr error, running []bridges.State) []Checkup {
	list := []Checkup{
		{"database", []chat.Finding{databaseFinding(cfg, databaseErr)}},
		{"public address", []chat.Finding{publicFinding(ctx, cfg.PublicURL)}},
	}
	for _, k := range BridgeKinds(cfg, slog.New(slog.DiscardHandler)) {
		found := bridges.Examine(ctx, k, settings)
		list = append(list, Checkup{k.Name, append(found, runningFindings(k.Name, running, found)...)})
	}
	return list
}

// runningFindings are what only the relay that runs has met of a bridge:
// somebody else's use of its token, for one. Where the cause is found already it
// would be said twice.
func runningFindings(name string, running []bridges.State, found []chat.Finding) (more []chat.Finding) {
	for _, state := range running {
		if state.Name != name {
			continue
		}
		more = append(more, undelivered(state)...)
		if chat.Failed(found) || state.LastError == "" {
			continue
		}
		f := chat.Finding{Subject: "running relay", Level: chat.FindingFail, Text: state.LastError, Fix: state.Fix, Details: state.Details}
		if state.State != "misconfigured" {
			f.Level = chat.FindingWarn
		}
		more = append(more, f)
	}
	return more
}

// undelivered tells what of a bridge's deliveries does not get through.
func undelivered(state bridges.State) (more []chat.Finding) {
	for _, kind := range []struct {
		of       *bridges.Trouble
		one, fix string
	}{
		{state.Failed, "given up", "see which in the console, and try them again there once the cause is gone"},
		{state.Retrying, "refused again and again", "relay keeps retrying; the console shows which conversations wait"},
	} {
		if kind.of != nil {
			text := fmt.Sprintf("%d not delivered, %s: %s", kind.of.Count, kind.one, kind.of.Reason)
			more = append(more, chat.Finding{Subject: "deliveries", Level: chat.FindingWarn, Text: text, Fix: kind.fix})
		}
	}
	return more
}

// bridgesPath is where a relay that runs tells how its bridges are doing.
const bridgesPath = "/api/admin/bridges"

// AskBridges asks the relay that runs on this machine how its bridges are doing,
// with a pass that whoever reads its database can make. It returns nil when none
// runs, or another one. As any program may listen there, the pass is good for
// nothing else.
func AskBridges(ctx context.Context, cfg config.Config, keys *Keyring) []bridges.State {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	pass, err := keys.passes().Encode(plainCookie, "doctor")
	if err != nil {
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, localURL(cfg, "127.0.0.1", int(cfg.Port))+bridgesPath, nil)
	if err != nil {
		return nil
	}
	request.AddCookie(&http.Cookie{Name: plainCookie, Value: pass})
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	var list struct{ Bridges []bridges.State }
	if answer.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&list) != nil {
		return nil
	}
	return list.Bridges
}

const passLife = 10 // seconds

// passes signs and verifies what [AskBridges] shows.
func (k *Keyring) passes() *securecookie.SecureCookie {
	return securecookie.New(k.SigningKey("doctor"), nil).MaxAge(passLife)
}

// isDoctor reports whether a request is that of [AskBridges].
func (s *Server) isDoctor(r *http.Request) bool {
	c, err := r.Cookie(plainCookie)
	var who string
	return err == nil && r.Method == http.MethodGet && r.URL.Path == bridgesPath && s.keys.passes().Decode(c.Name, c.Value, &who) == nil
}

func databaseFinding(cfg config.Config, err error) chat.Finding {
	f := chat.Finding{Subject: placeOf(string(cfg.DatabaseURL)), Level: chat.FindingOK, Text: "it can be read and written"}
	switch {
	case cfg.DatabaseURL == "":
		f.Text = "none is needed in bridge mode"
	case errors.Is(err, db.ErrNone):
		f.Level, f.Text, f.Fix = chat.FindingWarn, "there is none yet",
			"start relay: it makes one. If relay runs already, run doctor in its folder, or with its --env-file"
	case errors.Is(err, db.ErrDamaged):
		f.Level, f.Text, f.Fix = chat.FindingFail, err.Error(), "stop relay and put a backup in its place: relay restore FILE"
	case errors.Is(err, db.ErrNewer):
		f.Level, f.Text, f.Fix = chat.FindingFail, err.Error(), "put the newer program back in the place of this one"
	case errors.Is(err, chat.ErrStorageFull):
		f.Level, f.Text, f.Fix = chat.FindingFail, err.Error(), "make room on the disk, or raise the quota; if neither is used up, the disk fails"
	case err != nil:
		f.Level, f.Text = chat.FindingFail, err.Error()
		f.Fix = "check DATABASE_URL, and that this user may read and write there"
	}
	return f
}

// placeOf names a database without its secrets.
func placeOf(url string) string {
	path, isFile := strings.CutPrefix(url, "sqlite://")
	switch {
	case url == "":
		return "memory"
	case !isFile:
		return "PostgreSQL"
	}
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// publicFinding asks the public address for relay's health, as platforms would
// reach it.
func publicFinding(ctx context.Context, base string) chat.Finding {
	f := chat.Finding{Subject: "PUBLIC_URL", Level: chat.FindingOK}
	if base == "" {
		f.Text = "not set: relay is used on this machine, and bridges fetch operators' answers themselves"
		return f
	}
	if err := askHealth(ctx, base); err != nil {
		f.Level, f.Text, f.Details = chat.FindingWarn, "relay is not reached at "+base+" from here", err.Error()
		f.Fix = "start relay, and check that the address leads to it: DNS, the proxy, its certificate, the firewall"
		return f
	}
	f.Text = "relay answers at " + base
	if !strings.HasPrefix(base, "https://") {
		f.Level, f.Fix = chat.FindingWarn, "use https: what visitors write can be read on its way, and platforms push to nothing else"
	}
	return f
}

// askHealth reports why GET /health is not answered as relay does.
func askHealth(ctx context.Context, base string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/health", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var health struct{ Status string }
	err = json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&health)
	if err != nil || answer.StatusCode != http.StatusOK || health.Status != "ok" {
		return fmt.Errorf("something else answers there (%s)", answer.Status)
	}
	return nil
}

// Report writes checkups for people and returns how many findings are failures.
func Report(w io.Writer, list []Checkup) (failures int) {
	for _, c := range list {
		fmt.Fprintf(w, "%s\n", c.Name)
		for _, f := range c.Findings {
			fmt.Fprintf(w, "  %-4s  %s: %s\n", f.Level, f.Subject, f.Text)
			if f.Fix != "" && f.Level != chat.FindingOK {
				fmt.Fprintf(w, "        Fix: %s\n", f.Fix)
			}
			if f.Details != "" {
				fmt.Fprintf(w, "        Details: %s\n", f.Details)
			}
			if f.Level == chat.FindingFail {
				failures++
			}
		}
	}
	return failures
}
