package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
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

// Example bundles a program of the guides with the npm package; stubs are the
// sources of the other packages that it imports, by name. The program's functions
// become those of the global variable example.
func Example(root, code string, stubs map[string]string) ([]byte, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	options := scriptOptions(root, "", api.FormatIIFE)
	options.EntryPoints, options.GlobalName = nil, "example"
	options.Stdin = &api.StdinOptions{Contents: code, ResolveDir: root, Loader: api.LoaderTSX}
	options.Plugins = []api.Plugin{{Name: "packages", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: "^[a-z-]+$"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if args.Path == "relay-chat" {
				return api.OnResolveResult{Path: filepath.Join(root, "npm", "index.mjs")}, nil
			}
			return api.OnResolveResult{Path: args.Path, Namespace: "stub"}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "stub"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			source, ok := stubs[args.Path]
			if !ok {
				return api.OnLoadResult{}, fmt.Errorf("no package %s", args.Path)
			}
			return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS}, nil
		})
	}}}
	result := api.Build(options)
	if found := append(result.Errors, result.Warnings...); len(found) > 0 {
		return nil, messagesError(found)
	}
	return result.OutputFiles[0].Contents, nil
}
