package watch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"time"
)

// Listen opens the listener for metrics.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on METRICS_ADDR=%s: %w; choose another port", address, err)
	}
	return l, nil
}

// Serve answers scrapes on a listener until ctx ends.
func (w *Watch) Serve(ctx context.Context, listener net.Listener, from Sources) error {
	web := &http.Server{Handler: w.handler(from, loopback(listener.Addr())), ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10} // a profile takes its time
	stop := context.AfterFunc(ctx, func() { web.Close() })
	defer stop()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

// handler answers at /metrics, and with profiles at /debug/pprof/ if only programs
// on this machine can ask. The command line may hold secrets: it is not shown.
func (w *Watch) handler(from Sources, local bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", w.scrape(from))
	if !local {
		return mux
	}
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	return onlyNamed(mux)
}

// onlyNamed refuses requests for another name than the machine's own: a web page
// whose name leads here must not read profiles.
func onlyNamed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		addr, err := netip.ParseAddr(host)
		if host != "localhost" && (err != nil || !addr.IsLoopback()) {
			http.Error(w, "Ask for localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// loopback reports whether only this machine reaches an address.
func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
