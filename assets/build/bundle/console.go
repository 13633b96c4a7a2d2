package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// The console's first file, and the list of its modules that the parts share.
const (
	consoleSource = "console/main.ts"
	consoleName   = "console.js"
	consoleShared = "console/shared.ts"
)

// consoleBuild is what is known of the console while it is being bundled.
type consoleBuild struct {
	root   string
	mu     sync.Mutex        // esbuild resolves imports concurrently
	held   map[string]bool   // modules in console.js
	shared map[string]bool   // those of them that parts may import
	parts  map[string]string // the file of each part and its source
}

// buildConsole bundles the console: one file with all that the inbox needs at
// once, and one for each module that is imported when it is opened. The parts
// import console.js instead of copies of its modules, so that state exists once.
func buildConsole(root string) ([]File, error) {
	b := &consoleBuild{root: root, held: map[string]bool{}, shared: map[string]bool{}, parts: map[string]string{}}
	main, exports, err := b.bundle(consoleSource, b.resolveMain)
	if err != nil {
		return nil, err
	}
	files := []File{{Name: consoleName, Data: main}}
	for built := map[string]bool{}; len(built) < len(b.parts); {
		for _, name := range slices.Sorted(maps.Keys(b.parts)) {
			if built[name] {
				continue
			}
			built[name] = true
			part, _, err := b.bundle(b.parts[name], b.resolvePart)
			if err == nil {
				err = missingExports(part, exports)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.parts[name], err)
			}
			files = append(files, File{Name: name, Data: part})
		}
	}
	return files, nil
}

type resolver func(api.OnResolveArgs) (api.OnResolveResult, error)

// bundle builds one file and returns it with the names that it exports.
func (b *consoleBuild) bundle(source string, resolve resolver) ([]byte, []string, error) {
	options := scriptOptions(b.root, source, api.FormatESModule)
	options.Metafile = true
	options.Plugins = []api.Plugin{cssText, {Name: "console", Setup: func(p api.PluginBuild) {
		p.OnResolve(api.OnResolveOptions{Filter: `^\.`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if args.Kind == api.ResolveJSDynamicImport {
				return b.resolveLater(args)
			}
			return resolve(args)
		})
	}}}
	result := api.Build(options)
	if problems := slices.Concat(result.Errors, result.Warnings); len(problems) > 0 {
		return nil, nil, messagesError(problems)
	}
	var meta struct {
		Outputs map[string]struct{ Exports []string }
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, nil, err
	}
	if len(result.OutputFiles) != 1 || len(meta.Outputs) != 1 {
		return nil, nil, fmt.Errorf("want one output file, got %d", len(result.OutputFiles))
	}
	var exports []string
	for _, out := range meta.Outputs {
		exports = out.Exports
	}
	return result.OutputFiles[0].Contents, exports, nil
}

func module(args api.OnResolveArgs) string {
	return filepath.Join(args.ResolveDir, args.Path) + ".ts"
}

// resolveLater leaves an import that happens when a part is opened to the browser. A
// part is named after its file, and a main.ts after its folder.
func (b *consoleBuild) resolveLater(args api.OnResolveArgs) (api.OnResolveResult, error) {
	source, err := filepath.Rel(b.root, module(args))
	if err != nil {
		return api.OnResolveResult{}, err
	}
	source = filepath.ToSlash(source)
	name := filepath.Base(strings.TrimSuffix(strings.TrimSuffix(source, ".ts"), "/main")) + ".js"
	b.parts[name] = source
	return api.OnResolveResult{Path: "./" + name, External: true}, nil
}

// resolveMain notes the modules that console.js holds.
func (b *consoleBuild) resolveMain(args api.OnResolveArgs) (api.OnResolveResult, error) {
	path := module(args)
	b.held[path] = true
	if args.Importer == filepath.Join(b.root, consoleShared) {
		b.shared[path] = true
	}
	return api.OnResolveResult{}, nil
}

// resolvePart points imports of shared modules at console.js.
func (b *consoleBuild) resolvePart(args api.OnResolveArgs) (api.OnResolveResult, error) {
	path := module(args)
	if b.shared[path] {
		return api.OnResolveResult{Path: "./" + consoleName, External: true}, nil
	}
	if b.held[path] {
		return api.OnResolveResult{}, fmt.Errorf("%s would be bundled twice: export it in %s", filepath.Base(path), consoleShared)
	}
	return api.OnResolveResult{}, nil
}

// fromConsole matches what a part imports from console.js.
var fromConsole = regexp.MustCompile(`import\s*\{([^}]*)\}\s*from\s*"\./console\.js"`)

// missingExports says which names a part imports that console.js does not export:
// two shared modules may export the same name, and then neither is.
func missingExports(part []byte, exports []string) error {
	var errs []error
	for _, found := range fromConsole.FindAllSubmatch(part, -1) {
		for _, item := range strings.Split(string(found[1]), ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(item), " ")
			if name != "" && !slices.Contains(exports, name) {
				errs = append(errs, fmt.Errorf("%s does not export %s", consoleShared, name))
			}
		}
	}
	return errors.Join(errs...)
}
