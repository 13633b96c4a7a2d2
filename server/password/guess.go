package password

import (
	"strings"

	zxcvbn "github.com/ccojocar/zxcvbn-go"
)

// leastEntropy is how many bits a password must have against somebody who tries common
// words, names, dates and rows of keys first: twenty take a million guesses.
const leastEntropy = 20

// maxGuessed bounds what is looked at, in characters: the time grows with the square of it.
const maxGuessed = 72

// Guessable reports whether a password is soon found by trying. own are the person's name
// and address, which are tried first.
func Guessable(given string, own ...string) bool {
	if chars := []rune(given); len(chars) > maxGuessed {
		given = string(chars[:maxGuessed])
	}
	tried := []string{"relay"}
	for _, text := range own {
		tried = append(tried, strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" @.-_+", r) })...)
	}
	return zxcvbn.PasswordStrength(given, tried).Entropy < leastEntropy
}
