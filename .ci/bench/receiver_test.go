package bench

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/e2e/ports"
)

// receiver takes webhooks as fast as it can, and counts them. While it holds,
// it lets them wait.
type receiver struct {
	url    string
	server *httptest.Server
	taken  atomic.Int64
	held   atomic.Pointer[chan struct{}]
}

func newReceiver() *receiver {
	r := &receiver{}
	r.server = httptest.NewServer(r)
	r.url = r.server.URL
	return r
}

func (r *receiver) close() { r.server.Close() }

func (r *receiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	if held := r.held.Load(); held != nil {
		<-*held
	}
	_, _ = io.Copy(io.Discard, req.Body)
	r.taken.Add(1)
}

// hold lets requests wait until the returned function is called.
func (r *receiver) hold() (release func()) {
	held := make(chan struct{})
	r.held.Store(&held)
	return func() {
		r.held.Store(nil)
		close(held)
	}
}

// await waits until so many requests were accepted.
func (r *receiver) await(n int64) error {
	for begin := time.Now(); r.taken.Load() < n; time.Sleep(time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			return fmt.Errorf("%d of %d events arrived", r.taken.Load(), n)
		}
	}
	return nil
}

// bare lets the floor post n signed events in a bare loop and returns how many
// per second.
func (r *receiver) bare(floor *server, n int) (float64, error) {
	c, err := connect(floor.address)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	begin := time.Now()
	_, err = c.do(request("POST", fmt.Sprintf("/webhooks?n=%d&url=%s", n, r.url), "", text))
	return float64(n) / time.Since(begin).Seconds(), err
}

// badReceivers are the ways in which a receiver can be bad.
var badReceivers = []struct {
	name  string
	start func() (url string, stop func())
}{
	{"refuses", refuse},
	{"never answers", speaking(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })},
	{"answers a byte a second", speaking(dribble)},
	{"redirects to metadata", answering(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})},
	{"answers 10 GB", answering(gush)},
	{"has a bad certificate", badCertificate},
	{"answers 410", answering(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })},
	{"answers 500, then 200", answering(moody())},
}

// refuse names a port on which nobody listens.
func refuse() (string, func()) {
	port, err := ports.Free()
	if err != nil {
		panic(err)
	}
	return "http://127.0.0.1:" + port + "/", func() {}
}

// speaking starts a receiver that does something with each connection.
func speaking(serve func(net.Conn)) func() (string, func()) {
	return func() (string, func()) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					serve(c)
				}()
			}
		}()
		return "http://" + l.Addr().String() + "/", func() { l.Close() }
	}
}

func dribble(c net.Conn) {
	for _, b := range []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") {
		if _, err := c.Write([]byte{b}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// answering starts a receiver that speaks HTTP.
func answering(handler http.HandlerFunc) func() (string, func()) {
	return func() (string, func()) {
		s := httptest.NewServer(handler)
		return s.URL, s.Close
	}
}

// badCertificate starts a receiver whose certificate nobody has signed. Its key
// is of the cheap kind: the work measured must be relay's.
func badCertificate() (string, func()) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	return s.URL, s.Close
}

func gush(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", fmt.Sprint(10<<30))
	for chunk := strings.Repeat("x", 1<<16); ; {
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
}

// moody refuses every other request.
func moody() http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}
