package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/relay-chat/relay/schema"
)

// buildLanguages makes a module of each widget/lang/CODE.json: "lang-CODE-HASH.js",
// where HASH is of all of them, so that the core need not hold one for each. English
// is in the parts that use it and has no file.
func buildLanguages(root string) ([]File, map[string]string, error) {
	sources, err := filepath.Glob(filepath.Join(root, "widget", "lang", "*.json"))
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(sources)
	var files []File
	codes := []string{}
	all := sha256.New()
	for _, source := range sources {
		code := strings.TrimSuffix(filepath.Base(source), ".json")
		codes = append(codes, code)
		if code == "en" {
			continue
		}
		data, err := buildOne(root, target{source: "widget/lang/" + code + ".json", format: api.FormatESModule}, nil)
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
