package chat

import (
	"encoding/json"
	"unicode/utf8"
)

// Bounds of what the widget says in an admin's words.
const (
	maxStarters  = 4
	maxStarter   = 120 // characters
	maxOwnText   = 1000
	maxOwnTexts  = 300 // of one language
	maxLanguages = 50
)

var (
	isLanguage = Pattern(`[a-z]{2,3}`)
	isTextName = Pattern(`[a-zA-Z][a-zA-Z0-9]{0,39}`)
)

// starters checks a list of questions that visitors can begin with.
func starters(value json.RawMessage) error {
	if err := shape[[]string]("a list of at most 4 questions")(value); err != nil {
		return err
	}
	var list []string
	if json.Unmarshal(value, &list) != nil || list == nil || len(list) > maxStarters {
		return checkError("must be a list of at most 4 questions")
	}
	for _, question := range list {
		if n := utf8.RuneCountInString(question); n == 0 || n > maxStarter {
			return checkError("must be questions of 1 to 120 characters")
		}
	}
	return nil
}

// ownTexts checks texts by language and name. The names are those of the widget's
// own texts, operatorName, welcomeMessage, offlineMessage, and starters, a list.
func ownTexts(value json.RawMessage) error {
	var languages map[string]map[string]json.RawMessage
	if json.Unmarshal(value, &languages) != nil || len(languages) > maxLanguages {
		return checkError(`must be texts by language and name, like {"de":{"welcomeMessage":"Hallo!"}}`)
	}
	for code, texts := range languages {
		if !isLanguage(code) || len(texts) > maxOwnTexts {
			return checkError("must name languages as in HTML: de, fr, pt, with at most 300 texts each")
		}
		for name, value := range texts {
			if err := ownText(name, value); err != nil {
				return checkError("." + code + "." + Clip(OneLine(name), MaxName) + " " + err.Error())
			}
		}
	}
	return nil
}

func ownText(name string, value json.RawMessage) error {
	if name == "starters" {
		return starters(value)
	}
	if !isTextName(name) {
		return checkError("is not the name of a text")
	}
	return text(maxOwnText)(value)
}
