package chat

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// declaredEventTypes reads the constants of type EventType from their file.
func declaredEventTypes(t *testing.T) map[string]EventType {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]EventType{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if is, ok := spec.Type.(*ast.Ident); ok && is.Name == "EventType" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			types[spec.Names[0].Name] = EventType(text)
		}
		return true
	})
	return types
}

// TestEveryEventTypeHasItsRow: whoever adds a type decides who receives it.
func TestEveryEventTypeHasItsRow(t *testing.T) {
	declared := declaredEventTypes(t)
	if len(declared) < len(events) {
		t.Errorf("%d types are declared, and %d have rows", len(declared), len(events))
	}
	for name, is := range declared {
		if _, ok := events[is]; !ok {
			t.Errorf("%s has no row in the table of events", name)
		}
	}
}

// TestEventWithoutRowReachesNobody, wherever it comes from.
func TestEventWithoutRowReachesNobody(t *testing.T) {
	for _, source := range []string{"", SourceWidget, SourceConsole, SourceAPI, SourceAI, SourceRelay, "telegram"} {
		for to := range audiences {
			e := Event{Type: "no such type", SessionID: "s", Source: source, Sender: SenderVisitor}
			if e.For(to) {
				t.Errorf("audience %d receives it from %q", to, source)
			}
		}
	}
}

// TestOperatorsMattersStayWithThem: what visitors and their pages must never see.
func TestOperatorsMattersStayWithThem(t *testing.T) {
	for _, is := range []EventType{EventNote, EventNoteEdited, EventNoteDeleted, EventAssigned, EventTagged, EventSnoozed, EventMerged, EventAIRequest, EventTranscriptMail,
		EventNotice, StatePresence, StateDeliveryFailed, StateDeliveryDone, StateVisitorPage, StateVisitorPresence, StateSessionBlocked, StateSessionUnread, StateOperatorViewing, StateVisitorDraft} {
		e := Event{Type: is, Source: SourceConsole}
		if e.For(StreamVisitor) || e.For(TimelineVisitor) || e.For(TargetWebhook) {
			t.Errorf("%s leaves the team", is)
		}
	}
}
