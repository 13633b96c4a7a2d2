package bench

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// The measurement of assistants.
const (
	conversations    = 1000 // that the lists are of
	assistantQueries = 300  // of each kind in a round, by turns with the API's own
	idleAssistants   = 1000 // so many that the collector's moods matter little
)

const jsonContent = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"

// BenchmarkAssistants measures what the protocol of assistants costs beside the admin API, and what
// an assistant costs that does nothing.
func BenchmarkAssistants(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	for b.Loop() {
		r := &run{b: b, programs: programs, folder: b.TempDir()}
		relay := r.start(r.relay)
		r.must(each(conversations, 32, func(i int) error {
			_, err := newVisitor(relay.address, i)
			return err
		}))
		// The goals are 1.2, 1.2 and 1. The limits hold what is reached. An answer of 36 KB takes 4 ms
		// at the API. A tool has to read it, 0.5 ms, and to write it as text and as structure, which the
		// protocol wants both; the SDK copies these 40 KB four times on their way, 0.8 ms, and the rest
		// is its session of each request and the collector. An idle assistant has no state here but its
		// connection, which HTTP ends after a minute: 18 KiB after /health, 25 after a request to the API.
		list := &gate{name: "A1", what: "list_conversations over the API's list", format: "%.2f ms", limit: 1.8}
		search := &gate{name: "A2", what: "search over the API's search", format: "%.2f ms", limit: 1.6}
		idle := &gate{name: "A3", what: "memory of an idle assistant over 20 KiB", format: "%.1f KiB", limit: 1.6}
		time.Sleep(settle) // the search index is written behind
		for range rounds {
			r.besideAPI(relay, list, "/api/admin/sessions?limit=50", "list_conversations", `{"limit":50}`)
			r.besideAPI(relay, search, "/api/admin/search?q=parcel&limit=50", "search", `{"query":"parcel","limit":50}`)
		}
		r.must(relay.stop())
		for range rounds {
			relay := r.start(r.relay)
			r.idleAssistants(relay, idle)
			r.must(relay.stop())
		}
		judge(b, []*gate{list, search, idle})
	}
}

// talk is a connection that reads long answers, too.
type talk struct {
	net.Conn
	in *bufio.Reader
}

func (r *run) talkTo(s *server) *talk {
	conn, err := dial(s.address)
	r.must(err)
	return &talk{conn, bufio.NewReader(conn)}
}

func (r *run) ask(t *talk, query []byte) string {
	r.must(t.SetDeadline(time.Now().Add(20 * time.Second)))
	_, err := t.Write(query)
	r.must(err)
	answer, err := http.ReadResponse(t.in, nil)
	r.must(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	r.must(err)
	if answer.StatusCode != http.StatusOK {
		r.b.Fatalf("answered %s %s", answer.Status, body)
	}
	return string(body)
}

// besideAPI compares a tool with the route that it uses.
func (r *run) besideAPI(relay *server, g *gate, path, tool, arguments string) {
	who := "Authorization: Bearer " + secretKey + "\r\n"
	api := request("GET", path, who, "")
	call := request("POST", "/mcp", who+jsonContent, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	c := r.talkTo(relay)
	defer c.Close()
	took := [2][]float64{}
	for range assistantQueries {
		for i, query := range [][]byte{api, call} {
			begin := time.Now()
			answer := r.ask(c, query)
			took[i] = append(took[i], ms(time.Since(begin)))
			if strings.Count(answer, "parcel") < 50 || strings.Contains(answer, `"isError":true`) {
				r.b.Fatalf("%s answers %.500s", tool, answer)
			}
		}
	}
	g.add(median(took[0]), median(took[1]))
}

// idleAssistants connects assistants, which ask for the tools and then do nothing.
func (r *run) idleAssistants(relay *server, g *gate) {
	who := "Authorization: Bearer " + secretKey + "\r\n"
	begin := request("POST", "/mcp", who+jsonContent,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	tools := request("POST", "/mcp", who+jsonContent, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	assist := func(times int) *talk {
		c := r.talkTo(relay)
		for range times {
			r.ask(c, begin)
			r.ask(c, tools)
		}
		return c
	}
	assist(200).Close() // what all share is there
	time.Sleep(settle)
	before := r.memory(relay)
	for range idleAssistants {
		defer assist(1).Close()
	}
	time.Sleep(settle)
	g.add(20, max(0, r.memory(relay)-before)/1024/idleAssistants)
}
