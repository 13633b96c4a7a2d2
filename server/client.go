package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/privacy"
)

// The sub-commands are clients of the running relay: on this machine, and at its
// public address.

// localURL returns an address on this machine; everywhere is the host to use
// when relay listens on all of them.
func localURL(cfg config.Config, everywhere string, port int) string {
	host := cfg.Host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = ""
	}
	return "http://" + net.JoinHostPort(cmp.Or(host, everywhere), strconv.Itoa(port))
}

// ask makes a request without a body.
func ask(ctx context.Context, method, address string, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	return http.DefaultClient.Do(request)
}

// Healthcheck asks the relay running on this machine whether it is ready.
func Healthcheck(ctx context.Context, cfg config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	url := localURL(cfg, "127.0.0.1", int(cfg.Port)) + "/ready"
	answer, err := ask(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("relay does not answer: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, answer.Status)
	}
	return nil
}

// bridgesPath is where a running relay reports the state of its bridges.
const bridgesPath = "/api/admin/bridges"

// AskBridges asks the relay running on this machine for the state of its bridges,
// with a pass that only readers of its database can make. It returns nil when
// there is none, or another one. Any program may listen there, so the pass opens
// nothing else.
func AskBridges(ctx context.Context, cfg config.Config, keys *keyring.Ring) (bridges []chat.BridgeState, ai *chat.AIState) {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	pass := http.Header{"Cookie": {account.PlainCookie + "=" + doctorPasses(keys).Sign(account.PlainCookie, "doctor")}}
	answer, err := ask(ctx, http.MethodGet, localURL(cfg, "127.0.0.1", int(cfg.Port))+bridgesPath, pass)
	if err != nil {
		return nil, nil
	}
	defer answer.Body.Close()
	var list struct {
		Bridges []chat.BridgeState
		AI      *chat.AIState
	}
	if answer.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&list) != nil {
		return nil, nil
	}
	return list.Bridges, list.AI
}

// RetryDelivery lets the relay that runs on this machine deliver again what failed.
func RetryDelivery(ctx context.Context, cfg config.Config, id string) error {
	if cfg.SecretKey == "" {
		return errors.New("relay is running, and only it can deliver again: give it the secret key, by --relay-secret-key-file FILE, or use the console")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	address := localURL(cfg, "127.0.0.1", int(cfg.Port)) + "/api/admin/deliveries/" + url.PathEscape(id) + "/retry"
	answer, err := ask(ctx, http.MethodPost, address, http.Header{"Authorization": {"Bearer " + string(cfg.SecretKey)}})
	if err != nil {
		return fmt.Errorf("relay does not answer: %w; is its port another one?", err)
	}
	defer answer.Body.Close()
	var refusal struct{ Error string }
	_ = json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&refusal) // perhaps it is no relay
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("relay answers %s: %s", answer.Status, refusal.Error)
	}
	return nil
}

// EraseVisitor lets the relay that runs on this machine erase a visitor, so that open
// streams and consoles notice, with a pass that is good for nothing else. reached is
// false when there is none, or another one: then nothing was erased.
func EraseVisitor(ctx context.Context, cfg config.Config, keys *keyring.Ring, who string) (out privacy.Erased, reached bool, err error) {
	if !listening(ctx, cfg) {
		return out, false, nil
	}
	address := localURL(cfg, "127.0.0.1", int(cfg.Port)) + visitorsPath + "?visitor=" + url.QueryEscape(who)
	answer, err := ask(ctx, http.MethodDelete, address, http.Header{"Cookie": {account.PlainCookie + "=" + erasePasses(keys).Sign(account.PlainCookie, who)}})
	if err != nil {
		return out, true, fmt.Errorf("relay did not say whether it erased everything; repeat the command: %w", err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusUnauthorized, answer.StatusCode == http.StatusMethodNotAllowed, answer.StatusCode == http.StatusForbidden:
		return out, false, nil // another relay, or an earlier version
	case answer.StatusCode != http.StatusOK:
		return out, answer.StatusCode != http.StatusNotFound, fmt.Errorf("relay answers %s", answer.Status)
	}
	return out, true, json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&out)
}

// listening reports whether a program listens where relay would on this machine.
func listening(ctx context.Context, cfg config.Config) bool {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	address := strings.TrimPrefix(localURL(cfg, "127.0.0.1", int(cfg.Port)), "http://")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// visitorsPath is where one visitor is found and erased.
const visitorsPath = "/api/admin/visitors"

const passLife = 10 * time.Second

// erasePasses signs and verifies the pass of [EraseVisitor], whose text is the visitor.
func erasePasses(k *keyring.Ring) keyring.Cookies { return k.Cookies("erase", passLife) }

// isEraser returns whether a request is that of [EraseVisitor].
func isEraser(keys *keyring.Ring) func(*http.Request) bool {
	return func(r *http.Request) bool {
		who, ok := erasePasses(keys).Of(r, account.PlainCookie)
		return ok && r.Method == http.MethodDelete && who == r.URL.Query().Get("visitor")
	}
}

// doctorPasses signs and verifies the pass of [AskBridges].
func doctorPasses(k *keyring.Ring) keyring.Cookies { return k.Cookies("doctor", passLife) }

// isDoctor returns whether a request is that of [AskBridges].
func isDoctor(keys *keyring.Ring) func(*http.Request) bool {
	return func(r *http.Request) bool {
		_, ok := doctorPasses(keys).Of(r, account.PlainCookie)
		return ok
	}
}

// CheckPublicURL asks the public address for relay's health, as platforms would
// reach it, and tells who reaches the unencrypted port behind it.
func CheckPublicURL(ctx context.Context, cfg config.Config) []chat.Finding {
	found := []chat.Finding{checkAddress(ctx, cfg)}
	switch {
	case cfg.OnlyLocal():
		found = append(found, chat.Finding{Subject: "HOST", Level: chat.FindingOK,
			Text: "not set: with https relay listens on 127.0.0.1 only, for a proxy on this machine. For one on another machine set TRUSTED_PROXIES"})
	case cfg.OpenForNobody():
		found = append(found, chat.Finding{Subject: "HOST", Level: chat.FindingWarn,
			Text: fmt.Sprintf("port %d is open without encryption on all addresses, sign-in included", cfg.Port),
			Fix:  "leave HOST out if the proxy is on this machine; if it is not, or relay runs in a container, name the proxy in TRUSTED_PROXIES and let nobody else reach the port"})
	}
	return found
}

func checkAddress(ctx context.Context, cfg config.Config) chat.Finding {
	base, f := cfg.PublicURL, chat.Finding{Subject: "PUBLIC_URL", Level: chat.FindingOK}
	if base == "" {
		f.Text = "not set: relay is used on this machine, and bridges fetch operators' answers themselves"
		return f
	}
	if err := askHealth(ctx, base); err != nil {
		f.Level, f.Text, f.Details = chat.FindingWarn, "relay cannot be reached at "+base+" from here", err.Error()
		f.Fix = "start relay, and check that the address leads to it: DNS, the proxy, its certificate, the firewall"
		return f
	}
	f.Text = "relay answers at " + base
	if !strings.HasPrefix(base, "https://") {
		f.Level, f.Fix = chat.FindingWarn, "use https: what visitors write can be read on its way, and platforms push to nothing else"
	} else if cfg.PagesURL() == "" && cfg.Mode != chat.ModeBridge {
		f.Text += "; with a path, only the widget and the API work there: the console needs a host name of its own"
	}
	return f
}

// askHealth returns an error unless GET /health is answered by relay.
func askHealth(ctx context.Context, base string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	answer, err := ask(ctx, http.MethodGet, base+"/health", nil)
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
