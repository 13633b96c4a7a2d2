package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/relay-chat/relay/server/e2e/ports"
)

// server is a program under measurement, in a process of its own.
type server struct {
	cmd     *exec.Cmd
	address string
	output  bytes.Buffer
	started time.Duration // from exec to the first answer
}

// start runs a program and waits for its first answer. command makes its
// command for a free port.
func start(command func(port string) *exec.Cmd) (*server, error) {
	port, err := ports.Free()
	if err != nil {
		return nil, err
	}
	s := &server{cmd: command(port), address: "127.0.0.1:" + port}
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for {
		err = s.health()
		s.started = time.Since(begin)
		switch {
		case err == nil:
			return s, nil
		case s.started > 10*time.Second:
			return nil, errors.Join(fmt.Errorf("%s does not answer: %w\n%s", s.cmd.Path, err, &s.output), s.stop())
		}
		time.Sleep(100 * time.Microsecond)
	}
}

var healthRequest = request("GET", "/health", "", "")

func (s *server) health() error {
	c, err := connect(s.address)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.do(healthRequest)
	return err
}

// stop ends the program as a person would, so that relay closes its database.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return nil // the floor does not know the signal
	}
	return err
}

// kill ends the program at once.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// memory is the program's resident memory in bytes.
func (s *server) memory() (float64, error) { return s.status("VmRSS:") }

// peak is the most memory that was resident.
func (s *server) peak() (float64, error) { return s.status("VmHWM:") }

func (s *server) status(name string) (float64, error) {
	return memoryOf(strconv.Itoa(s.cmd.Process.Pid), "status", name)
}

// memoryOf is a figure in a file about a process, in bytes.
func memoryOf(pid, file, name string) (float64, error) {
	status, err := os.ReadFile("/proc/" + pid + "/" + file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if text, found := strings.CutPrefix(line, name); found {
			kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 64)
			return kib * 1024, err
		}
	}
	return 0, errors.New("/proc does not show the memory of process " + pid)
}
