package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/web"
)

// Listen opens the port. Errors of the usual failures include the remedy; asService is
// whether systemd runs relay as a service.
func Listen(ctx context.Context, cfg config.Config, asService bool) (net.Listener, error) {
	host := cfg.ListenHost()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(cfg.Port))))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %d is taken by another program. Stop that program, or choose another port: %s", cfg.Port, withPort(cfg, asService, otherPort(cfg.Port)))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen on port %d. Choose one above 1023: %s", cfg.Port, withPort(cfg, asService, 8080))
	case err != nil:
		return nil, fmt.Errorf("cannot listen on HOST=%s: %w", host, err)
	}
	return listener, nil
}

// otherPort proposes a port.
func otherPort(taken uint16) uint16 {
	if taken > 65000 {
		return taken - 10
	}
	return taken + 10
}

// withPort says how to start relay on another port.
func withPort(cfg config.Config, asService bool, port uint16) string {
	switch {
	case asService:
		return fmt.Sprintf("put PORT=%d into /etc/relay/relay.env, then: sudo systemctl restart relay", port)
	case cfg.Mode == chat.ModeBridge:
		return fmt.Sprintf("relay bridge --port %d", port)
	}
	return fmt.Sprintf("relay --port %d", port)
}

// OnlyLocal returns the listener, which systemd has opened, without the connections from
// other machines if the configuration keeps them out.
func OnlyLocal(listener net.Listener, cfg config.Config, log *slog.Logger) net.Listener {
	at, ok := listener.Addr().(*net.TCPAddr)
	if !cfg.OnlyLocal() || ok && at.IP.IsLoopback() {
		return listener
	}
	log.Warn("relay.socket is open to other machines. relay refuses them, because PUBLIC_URL begins with https://. " +
		"If the proxy is on another machine, name it in TRUSTED_PROXIES; otherwise set ListenStream to 127.0.0.1 and the port")
	return onlyLocal{listener}
}

type onlyLocal struct{ net.Listener }

func (l onlyLocal) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if from, ok := conn.RemoteAddr().(*net.TCPAddr); ok && from.IP.IsLoopback() {
			return conn, nil
		}
		conn.Close()
	}
}

// BaseURL returns relay's address: PUBLIC_URL, else
// the one on this machine with its port.
func BaseURL(cfg config.Config, listener net.Listener) string {
	if cfg.PublicURL != "" {
		return cfg.PublicURL
	}
	return ownURL(cfg, listener)
}

// PagesURL returns the address of relay's pages.
func PagesURL(cfg config.Config, listener net.Listener) string {
	if public := cfg.PagesURL(); public != "" {
		return public
	}
	return ownURL(cfg, listener)
}

// SignOnAt is where a provider leads people back to, as far as the configuration says.
func SignOnAt(cfg config.Config) chat.SignOnPlace {
	return chat.SignOnPlace{Redirect: PagesURL(cfg, nil) + account.SignOnReturn, Settled: cfg.PagesURL() != ""}
}

func ownURL(cfg config.Config, listener net.Listener) string {
	if listener == nil { // a command
		return localURL(cfg, "localhost", int(cfg.Port))
	}
	return localURL(cfg, "localhost", listener.Addr().(*net.TCPAddr).Port)
}

// Tunnel returns the command by which a person's own computer reaches relay when relay's
// address works on this machine only; "" if it works elsewhere, or if this machine has a
// screen and so is the person's own.
func Tunnel(base string, environ []string, system string) string {
	u, err := url.Parse(base)
	if err != nil || !web.IsLocalHost(u.Host, netip.Addr.IsLoopback) {
		return ""
	}
	set := map[string]string{}
	for _, pair := range environ {
		name, text, _ := strings.Cut(pair, "=")
		set[name] = text
	}
	login := strings.Fields(set["SSH_CONNECTION"]) // the client's address and port, the server's address and port
	hasScreen := system != "linux" || set["DISPLAY"] != "" || set["WAYLAND_DISPLAY"] != ""
	switch {
	case len(login) == 4:
		return fmt.Sprintf("ssh -L %[1]s:localhost:%[1]s %s@%s", u.Port(), cmp.Or(set["USER"], "you"), login[2])
	case hasScreen:
		return ""
	}
	return fmt.Sprintf("ssh -L %[1]s:localhost:%[1]s you@your-server", u.Port())
}
