package engine

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// The console knows the names of the commands: there Enter takes no saved answer.
func TestConsoleKnowsCommands(t *testing.T) {
	data, err := os.ReadFile("../../assets/console/commands.json")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	if err := json.Unmarshal(data, &known); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range Commands {
		names = append(names, c.Name)
	}
	if !slices.Equal(known, names) {
		t.Errorf("assets/console/commands.json has %q, want %q", known, names)
	}
}
