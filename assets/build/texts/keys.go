// Package texts finds the texts of the console in its sources: the keys of its catalogs, which are the English texts,
// and those that nobody marked for translation.
package texts

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Key is an English text of the console, and the first place that has it.
type Key struct {
	Text   string
	Plural bool
	Where  string // the file below console, and the line
}

// marks are the functions that translate, by the place of the key among what they are given.
var marks = map[string]int{"tr": 0, "plural": 2, "mixed": 0}

// own are the modules that define them.
var own = []string{"ui/texts.ts", "ui/sentences.ts"}

// Sources lists the TypeScript below a folder, without the modules that translate.
func Sources(root string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".ts") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if name = filepath.ToSlash(name); !slices.Contains(own, name) {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// Keys returns the keys of the sources below root, in their order, each once.
func Keys(root string) ([]Key, error) {
	names, err := Sources(root)
	if err != nil {
		return nil, err
	}
	var keys []Key
	known := map[string]int{}
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		found, err := keysOf(name, string(source))
		if err != nil {
			return nil, err
		}
		for _, key := range found {
			at, ok := known[key.Text]
			if !ok {
				known[key.Text] = len(keys)
				keys = append(keys, key)
			} else if keys[at].Plural != key.Plural {
				return nil, fmt.Errorf("%s and %s: %q is a plural at one of them", keys[at].Where, key.Where, key.Text)
			}
		}
	}
	return keys, nil
}

// keysOf returns the keys of one source.
func keysOf(name, source string) ([]Key, error) {
	tokens := lex(source)
	var keys []Key
	for i := range tokens {
		place, ok := callAt(tokens, i)
		if !ok {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, tokens[i].line)
		args := argumentsAt(tokens, i+2)
		if place >= len(args) {
			return nil, fmt.Errorf("%s: %s has no text", where, tokens[i].text)
		}
		key, literal := literal(args[place])
		switch {
		case literal:
			keys = append(keys, Key{key, tokens[i].text == "plural", where})
		case tokens[i].text != "mixed" || len(args[0]) == 0 || marks[args[0][0].text] == 0 && args[0][0].text != "tr":
			return nil, fmt.Errorf("%s: what %s translates must stand there as a string", where, tokens[i].text)
		}
	}
	return keys, nil
}

// callAt reports whether a call of a function that translates begins at a token, and which argument is its key.
func callAt(tokens []token, i int) (place int, ok bool) {
	place, ok = marks[tokens[i].text]
	if !ok || tokens[i].kind != word || i+1 == len(tokens) || tokens[i+1].text != "(" || tokens[i+1].kind != sign {
		return 0, false
	}
	return place, i == 0 || tokens[i-1].text != "." && tokens[i-1].text != "function"
}

// argumentsAt returns the arguments of a call behind its bracket.
func argumentsAt(tokens []token, from int) [][]token {
	args := [][]token{nil}
	depth := 0
	for _, t := range tokens[from:] {
		if t.kind == sign {
			switch t.text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				if depth--; depth < 0 {
					return args
				}
			case ",":
				if depth == 0 {
					args = append(args, nil)
					continue
				}
			}
		}
		args[len(args)-1] = append(args[len(args)-1], t)
	}
	return args
}

// literal is a text that stands in the source as one string, or as a sum of them.
func literal(arg []token) (string, bool) {
	var out strings.Builder
	for i, t := range arg {
		switch {
		case i%2 == 0 && t.kind == text && !t.partial:
			out.WriteString(t.text)
		case i%2 == 1 && t.kind == sign && t.text == "+":
		default:
			return "", false
		}
	}
	return out.String(), len(arg)%2 == 1
}
