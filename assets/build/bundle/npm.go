package bundle

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"

	"github.com/evanw/esbuild/pkg/api"
)

// The last lines of the types: of the module that relay serves, and of the npm package.
const (
	moduleTypes = "\ndeclare const chat: RelayChat;\nexport default chat;\n"
	npmTypes    = "\n/** loadRelayChat loads the widget from your relay and starts it with these options. */\n" +
		"export function loadRelayChat(options: LoadOptions): Promise<RelayChat>;\n"
)

// globalTypes are what a page has besides.
const globalTypes = `
declare global {
  interface Window {
    RelayChat?: RelayChat;
  }
}
`

// types returns the API's types with a last declaration.
func types(root, last string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(root, "widget", "relay-chat.d.ts"))
	return append(data, globalTypes+last...), err
}

// NPM builds the files of the npm package, named below root/npm.
func NPM(root string) ([]File, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	index, err := buildOne(root, target{source: "widget/npm.ts", format: api.FormatESModule}, nil)
	if err != nil {
		return nil, err
	}
	declared, err := types(root, npmTypes)
	if err != nil {
		return nil, err
	}
	manifest, err := manifest(root)
	return []File{{Name: "index.mjs", Data: index}, {Name: "index.d.ts", Data: declared}, {Name: "package.json", Data: manifest}}, err
}

// manifest is the package's description; its version is the widget's.
func manifest(root string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, "widget", "api.ts"))
	if err != nil {
		return nil, err
	}
	version := regexp.MustCompile(`VERSION = "([^"]+)"`).FindSubmatch(source)
	if version == nil {
		return nil, errors.New("api.ts names no VERSION")
	}
	data, err := json.MarshalIndent(struct {
		Name        string            `json:"name"`
		Version     string            `json:"version"`
		Description string            `json:"description"`
		License     string            `json:"license"`
		Type        string            `json:"type"`
		Main        string            `json:"main"`
		Types       string            `json:"types"`
		Exports     map[string]string `json:"exports"`
		Files       []string          `json:"files"`
		SideEffects bool              `json:"sideEffects"`
	}{
		"relay-chat", string(version[1]), "Loads the chat widget of your relay.", "MIT", "module", "index.mjs", "index.d.ts",
		map[string]string{"types": "./index.d.ts", "default": "./index.mjs"}, []string{"index.mjs", "index.d.ts"}, false,
	}, "", "  ")
	return append(data, '\n'), err
}
