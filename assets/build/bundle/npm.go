package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/relay-chat/relay/schema"
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
	index, err := buildOne(root, target{source: "widget/loader/npm.ts", format: api.FormatESModule}, nil)
	if err != nil {
		return nil, err
	}
	declared, err := types(root, npmTypes)
	if err != nil {
		return nil, err
	}
	required, err := buildOne(root, target{source: "widget/loader/npm.ts", format: api.FormatCommonJS}, nil)
	if err != nil {
		return nil, err
	}
	manifest, err := manifest()
	return []File{{Name: "index.mjs", Data: index}, {Name: "index.cjs", Data: required},
		{Name: "index.d.mts", Data: declared}, {Name: "index.d.cts", Data: declared}, {Name: "package.json", Data: manifest}}, err
}

// entry is what a way of loading the package gets; the types stand first, because the
// first condition that fits is taken.
type entry struct {
	Types   string `json:"types"`
	Default string `json:"default"`
}

// exports are the ways of loading the package.
type exports struct {
	Import  entry `json:"import"`
	Require entry `json:"require"`
}

// manifest is the package's description; its version is relay's.
func manifest() ([]byte, error) {
	files := []string{"index.mjs", "index.cjs", "index.d.mts", "index.d.cts"}
	data, err := json.MarshalIndent(struct {
		Name        string             `json:"name"`
		Version     string             `json:"version"`
		Description string             `json:"description"`
		License     string             `json:"license"`
		Repository  map[string]string  `json:"repository"`
		Type        string             `json:"type"`
		Main        string             `json:"main"`
		Module      string             `json:"module"`
		Types       string             `json:"types"`
		Exports     map[string]exports `json:"exports"`
		Files       []string           `json:"files"`
		Engines     map[string]string  `json:"engines"`
		SideEffects bool               `json:"sideEffects"`
	}{
		"relay-chat", schema.Version, "Loads the chat widget of your relay.", "MIT",
		map[string]string{"type": "git", "url": "git+https://github.com/relay-chat/relay.git", "directory": "assets/npm"},
		"module", "index.cjs", "index.mjs", "index.d.cts",
		map[string]exports{".": {entry{"./index.d.mts", "./index.mjs"}, entry{"./index.d.cts", "./index.cjs"}}}, files,
		map[string]string{"node": ">=18"}, false,
	}, "", "  ")
	return append(data, '\n'), err
}

// Example bundles a program with the packages below folder/node_modules. Its functions
// become those of the global variable example.
func Example(folder, code string) ([]byte, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	options := scriptOptions(folder, "", api.FormatIIFE)
	options.EntryPoints, options.GlobalName = nil, "example"
	options.Stdin = &api.StdinOptions{Contents: code, ResolveDir: folder, Loader: api.LoaderTSX}
	options.Define = map[string]string{"process.env.NODE_ENV": `"development"`}
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return nil, messagesError(result.Errors)
	}
	return result.OutputFiles[0].Contents, nil
}
