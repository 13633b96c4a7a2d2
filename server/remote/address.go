package remote

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// The variables that say which relay a command uses, and with which key. With _FILE behind it, the
// key's names a file that has it.
const (
	addressVariable = "RELAY_URL"
	keyVariable     = "RELAY_API_KEY"
)

// Variables are the names of all variables of commands that use a relay elsewhere.
var Variables = []string{addressVariable, keyVariable, keyVariable + "_FILE"}

// patience is how long an answer may take; statistics of a long time do.
const patience = 3 * time.Minute

// ErrNoKey is the mistake of whoever brings no key along.
var ErrNoKey = errors.New(keyVariable + " is missing: make a key in the console, under Team → Programs and keys, or with relay keys add")

// Open returns the API of the relay at an address, "" for that of the environment, with the
// environment's key.
func Open(address string, environ []string) (*API, error) {
	if address == "" {
		address = lookup(environ, addressVariable)
	}
	if address == "" {
		return nil, errors.New("which relay? Give its address behind the command, or in " + addressVariable)
	}
	base := strings.TrimRight(address, "/")
	if !chat.IsBaseURL(base) {
		return nil, fmt.Errorf("%q is not the address of a relay, like https://chat.example.com", address)
	}
	key, err := key(environ)
	if err != nil {
		return nil, err
	}
	return &API{Base: base, Client: WithKey(key, patience)}, nil
}

func key(environ []string) (string, error) {
	text := lookup(environ, keyVariable)
	if file := lookup(environ, keyVariable+"_FILE"); text == "" && file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		text = strings.TrimSpace(string(data))
	}
	switch {
	case text == "":
		return "", ErrNoKey
	case strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }):
		return "", errors.New(keyVariable + " is not a key: it has spaces or other signs that no key has")
	}
	return text, nil
}

// lookup returns a variable, "" for none.
func lookup(environ []string, name string) string {
	for _, line := range environ {
		if is, value, _ := strings.Cut(line, "="); is == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
