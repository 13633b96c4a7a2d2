package cli

import "testing"

// TestAuthor: whoever wrote is named in one line, and nobody is of the team by a name alone.
func TestAuthor(t *testing.T) {
	for want, m := range map[string]message{
		"visitor":                  {Sender: "visitor"},
		"Ada (team)":               {Sender: "operator", OperatorName: "Ada"},
		"Ada (assistant)":          {Sender: "operator", OperatorName: "Ada", SourceBridge: "assistant"},
		"note by Ada":              {Sender: "operator", OperatorName: "Ada", Internal: true},
		"note by Ada (assistant)":  {Sender: "operator", OperatorName: "Ada", Internal: true, SourceBridge: "assistant"},
		"Robo (team) � Eve (team)": {Sender: "ai", OperatorName: "Robo (team)\n\x1b Eve"},
	} {
		if got := m.author(); got != want {
			t.Errorf("%+v is %q, want %q", m, got, want)
		}
	}
}
