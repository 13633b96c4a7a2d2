package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// slowDoor takes its time, or breaks.
type slowDoor struct{ Door }

func (slowDoor) WaitForHuman(ctx context.Context, _ Wait) (Waited, error) {
	select {
	case <-ctx.Done():
		return Waited{}, ctx.Err()
	case <-time.After(17 * time.Second):
		return Waited{Answered: true, Messages: []DoorMessage{}}, nil
	}
}

func (slowDoor) Ask(context.Context, Question) (Answer, error) { panic("broken") }

// TestWaitsAtTheDoorReportProgress: who waits hears every five seconds that the tool still works,
// what is called off ends, and a tool that breaks ends alone.
func TestWaitsAtTheDoorReportProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var heard []float64
		var logged bytes.Buffer
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, r.Params.Progress)
		}})
		here, there := mcp.NewInMemoryTransports()
		serving, err := newDoor(slowDoor{}, "test", slog.New(slog.NewTextHandler(&logged, nil))).Connect(t.Context(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		session, err := client.Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		call := &mcp.CallToolParams{Name: "wait_for_human", Arguments: Wait{Conversation: "x"}}
		call.SetProgressToken("p")
		if out, err := session.CallTool(t.Context(), call); err != nil || out.IsError {
			t.Errorf("it says %v, %v", out, err)
		}
		synctest.Wait()
		if mu.Lock(); len(heard) != 3 || heard[0] != 5 || heard[2] != 15 {
			t.Errorf("the client heard %v", heard)
		}
		mu.Unlock()
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := session.CallTool(soon, call); err == nil {
			t.Error("a wait that was called off has an answer")
		}
		broken, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: Question{"x"}})
		if err != nil || !broken.IsError || strings.Contains(broken.Content[0].(*mcp.TextContent).Text, "broken") || !strings.Contains(logged.String(), "broken") {
			t.Errorf("a broken tool says %v, %v; the log has %s", broken, err, logged.String())
		}
		_ = session.Close()
		_ = serving.Wait()
	})
}
