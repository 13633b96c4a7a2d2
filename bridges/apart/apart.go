// Package apart reads what can eat the machine in a child process of relay, within limits of
// the system. It imports nothing of relay.
package apart

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"
)

// What a child may take. The system ends one that takes more.
const (
	processorTime = 10 * time.Second
	memory        = 512 << 20   // bytes
	patience      = time.Minute // on a machine that is busy with other things
)

// The errors of a child.
var (
	// ErrTooMuch means that the system ended the child.
	ErrTooMuch = errors.New("it was too much to read")
	// ErrNotStarted says nothing about what was to be read.
	ErrNotStarted = errors.New("relay could not start the process that reads documents")
)

// Run runs a command with in as its input, which must end, and nothing of relay's
// environment. It returns when the command has ended and all of its output is in out.
func Run(ctx context.Context, command []string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none", "GOMEMLIMIT=" + strconv.Itoa(memory/2)}
	if runtime.GOOS == "windows" {
		cmd.Env = append(cmd.Env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	}
	cmd.Stdin, cmd.Stdout, cmd.WaitDelay = in, out, time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	if err := cmd.Wait(); err != nil {
		if context.Cause(ctx) == context.Canceled {
			return ctx.Err()
		}
		return tooMuch(cmd.ProcessState)
	}
	return nil
}

// tooMuch says what ended a child.
func tooMuch(state *os.ProcessState) error {
	if state.UserTime()+state.SystemTime() > processorTime*9/10 {
		return fmt.Errorf("%w: it takes longer than %d seconds", ErrTooMuch, int(processorTime.Seconds()))
	}
	return fmt.Errorf("%w: it unpacks to more than relay reads (%d MB)", ErrTooMuch, memory>>20)
}

// said is what a child answers.
type said[A any] struct {
	Document A      // or what is in it
	Error    string // of the document
	Failed   string // of the child: the document was not read
}

// Answer is the child's side of [Ask]: it limits its process, reads one question from in, with a document
// in it, and writes what read says of that to out. The process must end afterwards.
func Answer[Q, A any](in io.Reader, out io.Writer, read func(Q) (A, error)) error {
	var s said[A]
	if err := Limit(); err != nil {
		s.Failed = err.Error()
		return json.NewEncoder(out).Encode(s)
	}
	var question Q
	if err := json.NewDecoder(in).Decode(&question); err != nil {
		return err
	}
	document, err := read(question)
	if s.Document = document; err != nil {
		s.Error = err.Error()
	}
	return json.NewEncoder(out).Encode(s)
}

// Ask has a command that calls [Answer] read a document, and keeps at most so many bytes of what it says.
// It returns that with the error of the document, or ErrTooMuch or ErrNotStarted.
func Ask[Q, A any](ctx context.Context, command []string, question Q, most int) (answer A, err error) {
	asked, err := json.Marshal(question)
	if err != nil {
		return answer, err
	}
	out := &output{left: most}
	err = Run(ctx, command, bytes.NewReader(asked), out)
	var s said[A]
	switch {
	case out.left < 0 || err == nil && json.Unmarshal(out.kept, &s) != nil:
		return answer, fmt.Errorf("%w: what is in it is longer than relay keeps", ErrTooMuch)
	case err != nil:
		return answer, err
	case s.Failed != "":
		return answer, fmt.Errorf("%w: %s", ErrNotStarted, s.Failed)
	case s.Error != "":
		return s.Document, errors.New(s.Error)
	}
	return s.Document, nil
}

// output keeps what a child says, up to a limit.
type output struct {
	kept []byte
	left int // how many bytes may come yet, less than 0 if there were more
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	if o.left -= len(p); o.left < 0 {
		return 0, io.ErrShortWrite
	}
	o.kept = append(o.kept, p...)
	return len(p), nil
}
