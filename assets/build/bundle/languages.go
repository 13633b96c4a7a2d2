package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/relay-chat/relay/schema"
)

// buildLanguages makes a module of each widget/lang/CODE.json: "lang-CODE-HASH.js",
// where HASH is of all of them, so that the core need not hold one for each. English
// is in the parts that use it and has no file; it also has the names of the texts, so the
// others only list theirs, in its order.
func buildLanguages(root string) ([]File, map[string]string, error) {
	sources, err := filepath.Glob(filepath.Join(root, "widget", "lang", "*.json"))
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(sources)
	english, err := textNames(filepath.Join(root, "widget", "lang", "en.json"))
	if err != nil {
		return nil, nil, err
	}
	var files []File
	codes := []string{}
	all := sha256.New()
	for _, source := range sources {
		code := strings.TrimSuffix(filepath.Base(source), ".json")
		codes = append(codes, code)
		if code == "en" {
			continue
		}
		data, err := buildLanguage(root, source, english)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", source, err)
		}
		all.Write(data)
		files = append(files, File{Name: code, Data: data, Widget: true})
	}
	hash := hex.EncodeToString(all.Sum(nil)[:5])
	for i := range files {
		files[i].Name = "lang-" + files[i].Name + "-" + hash + ".js"
	}
	return files, map[string]string{
		"LANGUAGES":      strconv.Quote(strings.Join(codes, " ")),
		"LANGUAGES_HASH": strconv.Quote(hash),
		"VERSION":        strconv.Quote(schema.Version),
	}, nil
}

// textSection is a part of the texts, with their names in the order of the file.
type textSection struct {
	name  string
	texts []string
}

// textNames reads the names of a language's texts.
func textNames(path string) ([]textSection, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all, err := keys(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(data, &sections); err != nil {
		return nil, err
	}
	var out []textSection
	for _, name := range all {
		texts, err := keys(sections[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		out = append(out, textSection{name, texts})
	}
	return out, nil
}

// keys are the keys of a JSON object in its order.
func keys(object []byte) (names []string, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		names = append(names, fmt.Sprint(name))
	}
	return names, nil
}

// buildLanguage makes a module that exports a list for each section.
func buildLanguage(root, source string, english []textSection) ([]byte, error) {
	data, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	var sections map[string]map[string]json.RawMessage
	if err := json.Unmarshal(data, &sections); err != nil {
		return nil, err
	}
	var module strings.Builder
	for _, s := range english {
		var list []json.RawMessage
		for _, name := range s.texts {
			text, ok := sections[s.name][name]
			if !ok {
				return nil, fmt.Errorf("no text %s of %s", name, s.name)
			}
			list = append(list, text)
		}
		data, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&module, "export const %s = %s;\n", s.name, data)
	}
	options := scriptOptions(root, source, api.FormatESModule)
	options.EntryPoints = nil
	options.Stdin = &api.StdinOptions{Contents: module.String(), Loader: api.LoaderJS}
	return onlyOutput(api.Build(options))
}
