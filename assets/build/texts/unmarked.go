package texts

import (
	"fmt"
	"os"
	"path/filepath"
	rx "regexp"
	"slices"
	"strings"
)

// Unmarked returns the strings below root that people read and that no function translates, with their places. It knows
// them by where they stand (the children of an element, its title …), and elsewhere by their looks.
func Unmarked(root string) ([]string, error) {
	names, err := Sources(root)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		for _, t := range unmarkedIn(string(source)) {
			out = append(out, fmt.Sprintf("%s:%d: %q", name, t.line, t.text))
		}
	}
	return out, nil
}

// place is a bracket that is open at a token.
type place struct {
	open     string
	callee   string // of a call
	argument int
	marked   bool   // what is in it is translated
	property string // the name of the value that is read
}

// unmarkedIn walks through the tokens with the brackets that are open.
func unmarkedIn(source string) []token {
	tokens := lex(source)
	var out []token
	places := []place{{}}
	for i, t := range tokens {
		top := &places[len(places)-1]
		switch {
		case t.kind == text:
			if shown(tokens, i, places) {
				out = append(out, t)
			}
		case t.kind != sign:
		case t.text == "(" || t.text == "[" || t.text == "{":
			places = append(places, placeAt(tokens, i, *top))
		case (t.text == ")" || t.text == "]" || t.text == "}") && len(places) > 1:
			places = places[:len(places)-1]
		case t.text == ",":
			top.argument++
			top.property = ""
		case t.text == ":" && top.open == "{" && i > 0:
			top.property = tokens[i-1].text
		case t.text == ";":
			top.property = ""
		}
	}
	return out
}

// placeAt is the place that a bracket opens.
func placeAt(tokens []token, i int, outer place) place {
	p := place{open: tokens[i].text}
	if tokens[i].text == "(" && i > 0 && tokens[i-1].kind == word {
		p.callee = tokens[i-1].text
		_, p.marked = callAt(tokens, i-1)
	}
	if tokens[i].text == "(" && p.callee == "" { // brackets around a value
		p.property, p.callee, p.argument = outer.property, outer.callee, outer.argument
	}
	return p
}

var (
	// Properties of elements whose texts are read, and those that are not.
	readProperties = strings.Fields("title aria-label placeholder label alt ariaLabel hint")
	ownProperties  = strings.Fields(`class className id type name href role rel target autocomplete inputmode scope dir for accept
		enterkeyhint method src value wrap pattern loading lang style spellcheck autocapitalize datetime`)
	// Functions that are given names, not texts.
	takesNames = strings.Fields(`byId on querySelector querySelectorAll addEventListener removeEventListener closest matches getAttribute
		removeAttribute setAttribute add remove toggle contains call fetch Event CustomEvent getElementById startsWith endsWith includes
		test exec split join replace getItem setItem icon BroadcastChannel import postMessage createElement supports has matchMedia
		if while`)
	compares = strings.Fields("=== !== == != case from in")

	letters = rx.MustCompile(`[A-Za-z]{2}`)
	looks   = rx.MustCompile(`^[A-Z][a-z’']+([ ,.:?!…]|$)|^[A-Z]-[a-z]|[a-z“”’,.:…] [a-z“A-Z{]|[a-z]…$|^ [a-z(]{2,}|[a-z:.] $`)
	// notTexts are addresses, names with dashes, selectors and classes.
	notTexts = rx.MustCompile(`^(https?:|sk_|pk_|/|#|\.)\S*|^[a-z0-9_]+([-.][a-z0-9.-]+)+$|^[a-z]+/[*a-z]|^(input|tag|button|field)[, ]|^event: |[\[\]=]|^[A-Z_]+$|^[^ ]*@[^ ]*$`)
)

// shown reports whether people read a string, and nobody translates it.
func shown(tokens []token, i int, places []place) bool {
	t, top := tokens[i], places[len(places)-1]
	for _, p := range places {
		if p.marked && (p.argument == 0 || p.callee == "plural") || p.callee == "known" {
			return false
		}
	}
	if i > 0 && slices.Contains(compares, tokens[i-1].text) || i+1 < len(tokens) && slices.Contains(compares[:4], tokens[i+1].text) {
		return false
	}
	if !letters.MatchString(t.text) || slices.Contains(asIs, strings.TrimSpace(t.text)) || notTexts.MatchString(t.text) {
		return false
	}
	if i+1 < len(tokens) && tokens[i+1].text == ":" && top.open == "{" && top.property == "" {
		return false // the name of a property
	}
	switch {
	case top.open == "{" && slices.Contains(readProperties, top.property), top.callee == "h" && top.argument > 1:
		return letters.MatchString(t.text)
	case top.open == "{" && slices.Contains(ownProperties, top.property), top.callee == "h" && top.argument == 0,
		strings.HasPrefix(top.property, "data-"), slices.Contains(takesNames, top.callee):
		return false
	}
	return looks.MatchString(t.text)
}
