package cli

import (
	"bufio"
	"context"
	"os"
	"strings"

	"golang.org/x/term"
)

// Asks reports whether somebody at a terminal can answer questions.
func Asks() bool { return term.IsTerminal(int(os.Stdin.Fd())) }

// ReadLine reads a line of the standard input, until ctx ends.
func ReadLine(ctx context.Context) (string, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // a terminal cannot be told to stop: the program ends soon
		text, err := bufio.NewReader(os.Stdin).ReadString('\n')
		read <- line{strings.TrimSpace(text), err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case l := <-read:
		return l.text, l.err
	}
}
