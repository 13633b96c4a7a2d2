// Package bundle turns the browser sources into the files of assets/dist. It
// is the only importer of esbuild and of html/template: the build command and the
// freshness test use it, the product binary must not.
package bundle

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// File is one built file; Name is flat, below dist. Widget marks what visitors' browsers load.
type File struct {
	Name   string
	Data   []byte
	Widget bool
}

// Stored returns the file as it stands in dist: texts are compressed, with .gz behind their names.
func (f File) Stored() (name string, data []byte) {
	if filepath.Ext(f.Name) == ".png" {
		return f.Name, f.Data
	}
	return f.Name + ".gz", Gzip(f.Data)
}

// target is one source and how it becomes a file. A hashed target is named
// after its content, and later targets see that name as the constant Define. A lent
// one gets widget/ui/dom.ts from the panel, which makes it.
type target struct {
	source string
	name   string
	format api.Format
	hashed bool
	define string
	lent   bool
}

// targets are built in order: each names those that it imports. A part of the
// widget that only some visitors need is a target of its own: its file exports
// create, its name stands in types.ts, and the panel makes it by lazy.ts (the
// core by shell.part).
var targets = []target{
	{source: "widget/panel/forms.ts", name: "forms.js", format: api.FormatESModule, hashed: true, define: "FORMS_FILE", lent: true},
	{source: "widget/chat/actions.ts", name: "actions.js", format: api.FormatESModule, hashed: true, define: "ACTIONS_FILE", lent: true},
	{source: "widget/attention/attention.ts", name: "attention.js", format: api.FormatESModule, hashed: true, define: "ATTENTION_FILE"},
	{source: "widget/panel/home.ts", name: "home.js", format: api.FormatESModule, hashed: true, define: "HOME_FILE", lent: true},
	{source: "widget/panel/menu.ts", name: "menu.js", format: api.FormatESModule, hashed: true, define: "MENU_FILE", lent: true},
	{source: "widget/attention/proactive.ts", name: "proactive.js", format: api.FormatESModule, hashed: true, define: "PROACTIVE_FILE"},
	{source: "widget/write/uploads.ts", name: "uploads.js", format: api.FormatESModule, hashed: true, define: "UPLOADS_FILE", lent: true},
	{source: "widget/core/rare.ts", name: "rare.js", format: api.FormatESModule, hashed: true, define: "RARE_FILE"},
	{source: "widget/write/emoji.ts", name: "emoji.js", format: api.FormatESModule, hashed: true, define: "EMOJI_FILE", lent: true},
	{source: "widget/write/voice.ts", name: "voice.js", format: api.FormatESModule, hashed: true, define: "VOICE_FILE", lent: true},
	{source: "widget/write/seen.ts", name: "seen.js", format: api.FormatESModule, hashed: true, define: "SEEN_FILE", lent: true},
	{source: "widget/chat/lightbox.ts", name: "lightbox.js", format: api.FormatESModule, hashed: true, define: "LIGHTBOX_FILE", lent: true},
	{source: "widget/write/tools.ts", name: "tools.js", format: api.FormatESModule, hashed: true, define: "TOOLS_FILE", lent: true},
	{source: "widget/chat/marks.ts", name: "marks.js", format: api.FormatESModule, hashed: true, define: "MARKS_FILE", lent: true},
	{source: "widget/panel/panel.ts", name: "panel.js", format: api.FormatESModule, hashed: true, define: "PANEL_FILE"},
	{source: "widget/core/core.ts", name: "core.js", format: api.FormatESModule, hashed: true, define: "CORE_FILE"},
	{source: "widget/loader/page.ts", name: "page.js", format: api.FormatESModule, hashed: true, define: "PAGE_FILE"},
	{source: "widget/loader/loader.ts", name: "widget.js", format: api.FormatIIFE},
	{source: "widget/loader/hiding.ts", name: "hiding.js", format: api.FormatIIFE},
	{source: "widget/loader/own.ts", name: "own.js", format: api.FormatIIFE},
	{source: "widget/loader/live.ts", name: "live.js", format: api.FormatIIFE},
	{source: "widget/loader/module.ts", name: "widget.mjs", format: api.FormatESModule},
	{source: "console/account/main.ts", name: "account.js", format: api.FormatIIFE},
	{source: "console/shell/theme.ts", name: "scheme.js", format: api.FormatIIFE},
	{source: "console/console.css", name: "console.css"},
	{source: "console/app/worker.ts", name: "worker.js", format: api.FormatIIFE},
	{source: "pages/pages.css", name: "pages.css"},
	{source: "console/settings/widget/preview.ts", name: "preview.js", format: api.FormatIIFE},
	{source: "pages/pages.ts", name: "pages.js", format: api.FormatIIFE},
	{source: "pages/docs.ts", name: "docs.js", format: api.FormatIIFE},
	{source: "pages/chat.ts", name: "chat.js", format: api.FormatIIFE},
	{source: "pages/resume.ts", name: "resume.js", format: api.FormatIIFE},
}

// Build bundles every target below root in memory, and then the pages.
func Build(root string) ([]File, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	files, defines, err := buildLanguages(root)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		data, err := buildOne(root, t, defines)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.source, err)
		}
		f := File{Name: t.name, Data: data, Widget: strings.HasPrefix(t.source, "widget/")}
		if t.hashed {
			f.Name = hashedName(t.name, data)
		}
		if t.define != "" {
			defines[t.define] = strconv.Quote(f.Name)
		}
		files = append(files, f)
	}
	console, err := buildConsole(root)
	if err != nil {
		return nil, err
	}
	declared, err := types(root, moduleTypes)
	if err != nil {
		return nil, err
	}
	files = append(files, File{Name: "widget.d.mts", Data: declared})
	built, err := buildPages(root)
	if err != nil {
		return nil, err
	}
	translated, err := buildTexts(root, built)
	if err != nil {
		return nil, err
	}
	copied, err := copies(root)
	return slices.Concat(files, console, copied, built, translated), err
}

// copied are served as they are: what makes the console an app.
var copied = []string{"console/app/app.webmanifest", "console/app/icon-192.png", "console/app/icon-512.png"}

func copies(root string) (files []File, err error) {
	for _, source := range copied {
		data, err := os.ReadFile(filepath.Join(root, source))
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: filepath.Base(source), Data: data})
	}
	return files, nil
}

// buildOne runs esbuild for one entry point and returns its only output.
func buildOne(root string, t target, defines map[string]string) ([]byte, error) {
	options := scriptOptions(root, t.source, t.format)
	options.Define = defines
	if strings.HasPrefix(t.source, "widget/") {
		options.MangleProps, options.MangleCache = "^("+strings.Join(OwnNames, "|")+")$", shortNames()
	}
	if filepath.Ext(t.source) == ".ts" {
		options.Plugins = []api.Plugin{cssText}
	}
	if t.lent {
		dir, name := filepath.Split(t.source)
		options.EntryPoints = nil
		options.Stdin = &api.StdinOptions{ResolveDir: filepath.Join(root, dir), Loader: api.LoaderTS,
			Contents: fmt.Sprintf("export * from %q; export { use } from '../ui/lent'", "./"+strings.TrimSuffix(name, ".ts"))}
		if err := lend(root, &options); err != nil {
			return nil, err
		}
	}
	return onlyOutput(api.Build(options))
}

func onlyOutput(result api.BuildResult) ([]byte, error) {
	if len(result.Errors) > 0 {
		return nil, messagesError(result.Errors)
	}
	if len(result.Warnings) > 0 {
		return nil, messagesError(result.Warnings)
	}
	if len(result.OutputFiles) != 1 {
		return nil, fmt.Errorf("want one output file, got %d", len(result.OutputFiles))
	}
	return result.OutputFiles[0].Contents, nil
}

// scriptOptions are what all targets have in common.
func scriptOptions(root, source string, format api.Format) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir: root,
		EntryPoints:   []string{source},
		Outdir:        "dist",
		Bundle:        true,
		Format:        format,
		Charset:       api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone,
		Engines:       engines,
		TsconfigRaw:   `{"compilerOptions":{"strict":true}}`,

		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
	}
}

// engines are the oldest browsers that the bundles are compiled for.
var engines = []api.Engine{
	{Name: api.EngineChrome, Version: "109"},
	{Name: api.EngineFirefox, Version: "115"},
	{Name: api.EngineSafari, Version: "16.4"},
}

// cssText makes `import css from "./x.css"` yield the minified text, for
// adoptedStyleSheets.
var cssText = api.Plugin{
	Name: "css-text",
	Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			css := api.Build(api.BuildOptions{
				EntryPoints: []string{args.Path}, Bundle: true, Engines: engines, Charset: api.CharsetUTF8,
				MinifyWhitespace: true, MinifySyntax: true,
			})
			if len(css.Errors) > 0 {
				return api.OnLoadResult{}, messagesError(css.Errors)
			}
			text := string(bytes.TrimSpace(css.OutputFiles[0].Contents))
			// esbuild leaves the values of properties that authors define as they are.
			text = strings.NewReplacer(", ", ",", ": var(", ":var(", "): ", "):").Replace(text)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderText}, nil
		})
	},
}

// messagesError renders esbuild's messages with file and line.
func messagesError(messages []api.Message) error {
	var errs []error
	for _, text := range api.FormatMessages(messages, api.FormatMessagesOptions{Kind: api.ErrorMessage}) {
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// hashedName puts ten hex digits of the content's SHA-256 before the suffix.
func hashedName(name string, data []byte) string {
	sum := sha256.Sum256(data)
	ext := filepath.Ext(name)
	return name[:len(name)-len(ext)] + "-" + hex.EncodeToString(sum[:5]) + ext
}

// Gzip compresses data as well as it can.
func Gzip(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = w.Write(data) // a bytes.Buffer never fails
	_ = w.Close()
	return out.Bytes()
}
