package bundle

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/relay-chat/relay/assets/build/texts"
)

// TextsFolder has the catalogs of the console's languages, below the root of the assets.
const TextsFolder = "console/lang"

// TranslatedPages are built in every language of the console.
var TranslatedPages = strings.Fields("console.html login.html code.html setup-code.html setup-done.html invitation.html " +
	"setup.html locked.html status.html error.html consent.html connect.html connect-box.html connect-document.html connected.html")

// accountFolder has the sources of account.js, which has a small catalog of its own.
const accountFolder = "account/"

// buildTexts makes what the console has in each language: the texts of its scripts, and the pages.
func buildTexts(root string, pages []File) ([]File, error) {
	folder := filepath.Join(root, TextsFolder)
	codes, err := texts.Languages(folder)
	if err != nil {
		return nil, err
	}
	keys, err := texts.Keys(filepath.Join(root, "console"))
	if err != nil {
		return nil, err
	}
	said, err := texts.Server(folder)
	if err != nil {
		return nil, err
	}
	filled, err := texts.Pages(folder)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, code := range codes {
		catalog, err := texts.ReadCatalog(folder, code)
		if err != nil {
			return nil, err
		}
		console, account, err := scripts(catalog, keys, said)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", code, err)
		}
		files = append(files, File{Name: "texts-" + code + ".js", Data: console}, File{Name: "account-texts-" + code + ".js", Data: account},
			File{Name: "said-" + code + ".json", Data: sayings(catalog, filled)})
		for _, page := range pages {
			if slices.Contains(TranslatedPages, page.Name) {
				files = append(files, File{Name: strings.TrimSuffix(page.Name, "html") + code + ".html", Data: inLanguage(page.Data, code, catalog)})
			}
		}
	}
	return files, nil
}

// scripts are the catalogs of the console and of account.js.
func scripts(catalog texts.Catalog, keys []texts.Key, said []string) (console, account []byte, err error) {
	all, own := map[int32]texts.Text{}, map[int32]texts.Text{}
	of := map[int32]string{}
	add := func(to map[int32]texts.Text, key string) {
		text, ok := catalog[key]
		number := texts.Number(key)
		if other, taken := of[number]; taken && other != key {
			err = fmt.Errorf("%q and %q have the same number: change one of them", key, other)
		}
		if of[number] = key; ok {
			to[number] = text
		}
	}
	for _, key := range keys {
		if strings.HasPrefix(key.Where, accountFolder) {
			add(own, key.Text)
		}
		add(all, key.Text)
	}
	for _, key := range said {
		add(all, key)
		add(own, key)
	}
	if err != nil {
		return nil, nil, err
	}
	return script(all), script(own), nil
}

// sayings are what relay itself fills into its pages.
func sayings(catalog texts.Catalog, filled []string) []byte {
	said := map[string]string{}
	for _, text := range filled {
		said[text] = catalog[text].One
	}
	return append(encoded(said), '\n')
}

func encoded(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // numbers and strings
	}
	return data
}

func script(catalog map[int32]texts.Text) []byte {
	return slices.Concat([]byte("relayTexts="), encoded(catalog), []byte(";\n"))
}

var pageScript = regexp.MustCompile(`<script (defer|type="module") src="/static/(console|account)\.js">`)

// inLanguage is a page in a language, which loads the texts of its script first.
func inLanguage(page []byte, code string, catalog texts.Catalog) []byte {
	out := texts.Page(string(page), func(text string) string {
		if translated, ok := catalog[text]; ok && translated.Forms == nil {
			return translated.One
		}
		return text
	})
	out = strings.Replace(out, `<html lang="en">`, `<html lang="`+code+`">`, 1)
	return []byte(pageScript.ReplaceAllStringFunc(out, func(tag string) string {
		name := map[bool]string{true: "account-texts-", false: "texts-"}[strings.Contains(tag, "account")]
		return `<script defer src="/static/` + name + code + `.js"></script>` + tag
	}))
}
