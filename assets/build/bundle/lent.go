package bundle

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

var (
	fromDOM  = regexp.MustCompile(`import\s*\{([^}]*)\}\s*from\s*"dom"`)
	lentName = regexp.MustCompile(`export let (\w+):.*\n`)
)

// lend puts widget/ui/lent.ts in the place of dom.ts, without the names that the part
// does not use: a first build, which leaves dom.ts out, says which it does.
func lend(root string, options *api.BuildOptions) error {
	first := *options
	first.Plugins = append([]api.Plugin{domAs(api.OnResolveResult{Path: "dom", External: true})}, options.Plugins...)
	part, err := onlyOutput(api.Build(first))
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, found := range fromDOM.FindAllSubmatch(part, -1) {
		for item := range strings.SplitSeq(string(found[1]), ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(item), " ")
			used[name] = true
		}
	}
	path := filepath.Join(root, "widget", "ui", "lent.ts")
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(source)
	for _, found := range lentName.FindAllStringSubmatch(text, -1) {
		if line, name := found[0], found[1]; !used[name] {
			text = strings.Replace(text, line, "", 1)
			text = regexp.MustCompile(`([[ ])`+name+`([,\]])`).ReplaceAllString(text, "$1$2") // a hole in the list
		}
	}
	options.Plugins = append(options.Plugins, domAs(api.OnResolveResult{Path: path}), api.Plugin{Name: "lent", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `/lent\.ts$`}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderTS}, nil
		})
	}})
	return nil
}

// domAs resolves widget/ui/dom.ts to something else.
func domAs(instead api.OnResolveResult) api.Plugin {
	return api.Plugin{Name: "dom", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `/dom$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return instead, nil
		})
	}}
}
