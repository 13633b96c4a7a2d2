package texts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// Text is a translation: one text, or a form for each kind of number that the language knows.
type Text struct {
	One   string
	Forms map[string]string
}

// UnmarshalJSON reads a string or an object of forms.
func (t *Text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		return json.Unmarshal(data, &t.Forms)
	}
	return json.Unmarshal(data, &t.One)
}

// MarshalJSON writes what UnmarshalJSON reads.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.Forms != nil {
		return json.Marshal(t.Forms)
	}
	return json.Marshal(t.One)
}

// All returns the text, or its forms in the order of their names.
func (t Text) All() []string {
	if t.Forms == nil {
		return []string{t.One}
	}
	var all []string
	for _, form := range t.Forms {
		all = append(all, form)
	}
	slices.Sort(all)
	return all
}

// Catalog has the translations of one language by their English.
type Catalog map[string]Text

// ReadCatalog reads the texts of a language: console/lang/CODE.json and the files of the folder CODE beside it, each of a
// part of the console.
func ReadCatalog(folder, code string) (Catalog, error) {
	files, err := filepath.Glob(filepath.Join(folder, code, "*.json"))
	if err != nil {
		return nil, err
	}
	all := Catalog{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var part Catalog
		if err := json.Unmarshal(data, &part); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for key, text := range part {
			if _, twice := all[key]; twice {
				return nil, fmt.Errorf("%s: %q has a translation in another file too", file, key)
			}
			all[key] = text
		}
	}
	return all, nil
}

// Languages lists those that have catalogs, without English.
func Languages(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	var codes []string
	for _, e := range entries {
		if e.IsDir() {
			codes = append(codes, e.Name())
		}
	}
	return codes, err
}

// Server returns the texts of server.txt: what relay says in English and the console translates.
func Server(folder string) ([]string, error) { return lines(folder, "server.txt") }

// Pages returns the texts of pages.txt: what relay fills into its pages, in their language.
func Pages(folder string) ([]string, error) { return lines(folder, "pages.txt") }

func lines(folder, name string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(folder, name))
	var lines []string
	for line := range strings.SplitSeq(string(data), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines, err
}

// Number stands for a text in the built catalogs. It is the same as numberOf in console/ui/texts.ts.
func Number(text string) int32 {
	var sum int32
	for _, unit := range utf16.Encode([]rune(text)) {
		sum = sum*31 + int32(unit)
	}
	return sum
}
