// Command test runs go test with the given arguments and closes with a total.
// It shows each package when it is done, tests that take long, and whatever a
// failed test has written.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// slow is the number of seconds from which a test is worth a line.
const slow = 3

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath string

	Elapsed float64
}

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	r := report{output: map[string]*strings.Builder{}, tests: map[string]int{}, broken: map[string]bool{}}
	r.read(out)
	err = cmd.Wait()
	fmt.Printf("\n%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	if err != nil || r.failed > 0 {
		os.Exit(1)
	}
}

// report counts the tests. Parts of a table test count as tests.
type report struct {
	passed, failed, skipped int

	output map[string]*strings.Builder // of running tests and packages
	tests  map[string]int              // done, per package
	broken map[string]bool             // packages with a failed test
}

func (r *report) read(in io.Reader) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			os.Stdout.Write(line)
			continue
		}
		r.take(e)
	}
}

func (r *report) take(e event) {
	key := e.Package + e.ImportPath + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if r.output[key] == nil {
			r.output[key] = &strings.Builder{}
		}
		r.output[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e, key)
		} else {
			r.endTest(e, key)
		}
		delete(r.output, key)
	}
}

func (r *report) endTest(e event, key string) {
	r.tests[e.Package]++
	switch e.Action {
	case "pass":
		r.passed++
	case "skip":
		r.skipped++
		r.show(key)
	case "fail":
		r.failed++
		r.broken[e.Package] = true
		r.show(key)
	}
	if e.Elapsed >= slow && !strings.Contains(e.Test, "/") {
		fmt.Printf("     %s %s: %.0f s\n", e.Package, e.Test, e.Elapsed)
	}
}

func (r *report) endPackage(e event, key string) {
	switch {
	case e.Action == "fail":
		r.showUnfinished(e.Package)
		if !r.broken[e.Package] { // it did not build, or a test never ended
			r.failed++
		}
		fmt.Printf("FAIL %s\n", e.Package)
	case r.tests[e.Package] == 0:
		fmt.Printf("  -  %s: no tests\n", e.Package)
	default:
		fmt.Printf("ok   %s: %d tests in %.1f s\n", e.Package, r.tests[e.Package], e.Elapsed)
	}
}

func (r *report) show(key string) {
	if text := r.output[key]; text != nil {
		fmt.Print(text.String())
	}
}

// showUnfinished shows what a package has written and what its tests have that
// never came to an end: the reason stands there.
func (r *report) showUnfinished(pkg string) {
	for _, key := range slices.Sorted(maps.Keys(r.output)) {
		if strings.HasPrefix(key, pkg+" ") {
			r.show(key)
		}
	}
}
