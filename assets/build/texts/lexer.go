package texts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	word   kind = iota // a name, a keyword or a number
	text               // a string, or a piece of a template
	sign               // an operator or a bracket
	regexp             // a regular expression, whose text does not matter
)

// token is one of a TypeScript source; line counts from 1. A text is what the string means. partial marks a piece of a
// template with expressions.
type token struct {
	kind    kind
	text    string
	line    int
	partial bool
}

// lexer reads TypeScript as far as its strings need it.
type lexer struct {
	source string
	at     int
	line   int
	tokens []token
	braces []bool // of each open {: whether it is a template's
}

// lex returns the tokens of a source, without comments.
func lex(source string) []token {
	l := &lexer{source: source, line: 1}
	for l.at < len(l.source) {
		l.next()
	}
	return l.tokens
}

func (l *lexer) add(k kind, t string) {
	l.tokens = append(l.tokens, token{kind: k, text: t, line: l.line})
}

func (l *lexer) next() {
	rest := l.source[l.at:]
	c := rest[0]
	switch {
	case c == '\n':
		l.line++
		l.at++
	case c == ' ' || c == '\t' || c == '\r':
		l.at++
	case strings.HasPrefix(rest, "//"):
		l.skip(end(rest, "\n", 0))
	case strings.HasPrefix(rest, "/*"):
		l.skip(end(rest, "*/", 2))
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '`':
		l.at++
		l.template()
	case c == '/' && l.startsRegexp():
		l.regexp()
	case isNamed(rest):
		l.name()
	default:
		l.sign()
	}
}

// end is where a part ends that stands before, or with after, behind a mark.
func end(rest, mark string, after int) int {
	if at := strings.Index(rest, mark); at >= 0 {
		return at + after
	}
	return len(rest)
}

func (l *lexer) skip(n int) {
	l.line += strings.Count(l.source[l.at:l.at+n], "\n")
	l.at += n
}

func isNamed(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func (l *lexer) name() {
	from := l.at
	for l.at < len(l.source) && isNamed(l.source[l.at:]) {
		_, size := utf8.DecodeRuneInString(l.source[l.at:])
		l.at += size
	}
	l.add(word, l.source[from:l.at])
}

// signs of several characters that matter here.
var signs = []string{"===", "!==", "=>", "==", "!=", "&&", "||", "??", "?.", "..."}

func (l *lexer) sign() {
	s := l.source[l.at : l.at+1]
	for _, long := range signs {
		if strings.HasPrefix(l.source[l.at:], long) {
			s = long
			break
		}
	}
	l.at += len(s)
	switch s {
	case "{":
		l.braces = append(l.braces, false)
	case "}":
		if n := len(l.braces); n > 0 {
			ofTemplate := l.braces[n-1]
			l.braces = l.braces[:n-1]
			if ofTemplate {
				l.template()
				return
			}
		}
	}
	l.add(sign, s)
}

// quoted reads a string in quotes.
func (l *lexer) quoted(quote byte) {
	var out strings.Builder
	l.at++
	for l.at < len(l.source) && l.source[l.at] != quote {
		l.char(&out)
	}
	l.at++
	l.add(text, out.String())
}

// template reads on in a template, up to its end or its next expression.
func (l *lexer) template() {
	var out strings.Builder
	continues := l.at > 0 && l.source[l.at-1] == '}'
	line := l.line
	for l.at < len(l.source) && l.source[l.at] != '`' {
		if strings.HasPrefix(l.source[l.at:], "${") {
			l.at += 2
			l.braces = append(l.braces, true)
			l.tokens = append(l.tokens, token{text, out.String(), line, true}, token{kind: sign, text: "+", line: line})
			return
		}
		l.char(&out)
	}
	l.at++
	if continues {
		l.tokens = append(l.tokens, token{kind: sign, text: "+", line: line})
	}
	l.tokens = append(l.tokens, token{text, out.String(), line, continues})
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\n': ""}

// char reads one character of a string.
func (l *lexer) char(out *strings.Builder) {
	c := l.source[l.at]
	l.at++
	if c == '\n' {
		l.line++
	}
	if c != '\\' || l.at == len(l.source) {
		out.WriteByte(c)
		return
	}
	c = l.source[l.at]
	l.at++
	if escaped, ok := escapes[c]; ok {
		out.WriteString(escaped)
		return
	}
	out.WriteByte(c)
}

// startsRegexp tells a regular expression from a division by what stands before it.
func (l *lexer) startsRegexp() bool {
	if len(l.tokens) == 0 {
		return true
	}
	last := l.tokens[len(l.tokens)-1]
	switch last.kind {
	case word:
		return last.text == "return" || last.text == "typeof" || last.text == "case"
	case sign:
		return last.text != ")" && last.text != "]" && last.text != "}"
	}
	return false
}

func (l *lexer) regexp() {
	inClass := false
	for l.at++; l.at < len(l.source); l.at++ {
		switch c := l.source[l.at]; {
		case c == '\\':
			l.at++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '/' && !inClass:
			l.at++
			l.add(regexp, "")
			return
		}
	}
}
