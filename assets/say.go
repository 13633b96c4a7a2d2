package assets

import (
	"encoding/json"
	"sync"
)

// said has the texts of relay's pages in the languages that were asked for, by their English.
var said = struct {
	sync.Mutex
	in map[string]map[string]string
}{in: map[string]map[string]string{}}

// Say returns a text of relay's pages in a language, by its code. It stays English where it has no translation.
func Say(language, text string) string {
	said.Lock()
	defer said.Unlock()
	all, read := said.in[language]
	if !read {
		if data, err := File("said-" + language + ".json"); err == nil {
			_ = json.Unmarshal(data, &all) // the build wrote it
			said.in[language] = all
		}
	}
	if translated, ok := all[text]; ok {
		return translated
	}
	return text
}
