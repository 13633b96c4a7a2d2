// Package apart reads what can eat the machine in a child process of relay, within limits of
// the system. It imports nothing of relay.
package apart

import (
	"context"
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

// Output keeps what a child says, up to a limit.
type Output struct {
	Kept []byte
	Left int // how many bytes may come yet, less than 0 if there were more
}

// Write implements [io.Writer].
func (o *Output) Write(p []byte) (int, error) {
	if o.Left -= len(p); o.Left < 0 {
		return 0, io.ErrShortWrite
	}
	o.Kept = append(o.Kept, p...)
	return len(p), nil
}
