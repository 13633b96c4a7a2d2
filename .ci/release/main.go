// Command release makes everything that a release of relay consists of: programs
// for each system, their bills of materials, packages, the installer and checksums.
// The same sources give the same bytes on every machine.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// release is what is made, from which sources, and where it goes.
type release struct {
	source, out string
	version     string // without a v
	date        time.Time
}

func main() {
	source := flag.String("source", "../..", "the folder of relay's `sources`")
	out := flag.String("out", "../../dist", "the `folder` of the release")
	version := flag.String("version", "", "the `version`, like v1.0.0")
	seconds := flag.Int64("date", 0, "the time of the files in the release, in `seconds` since 1970")
	flag.Parse()
	r := release{*source, *out, strings.TrimPrefix(*version, "v"), time.Unix(*seconds, 0).UTC()}
	if err := r.make(targets); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// make makes the release of some targets.
func (r release) make(targets []target) error {
	if r.version == "" {
		return fmt.Errorf("-version is missing: which release is it, like v1.0.0?")
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.makeTarget(t); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	if err := r.installer(); err != nil {
		return err
	}
	sums, err := r.checksums()
	if err != nil {
		return err
	}
	if err := r.formula(sums); err != nil {
		return err
	}
	_, err = r.checksums() // with the formula, which contains the others
	return err
}

// makeTarget builds the program and packs it in each form that its system knows.
func (r release) makeTarget(t target) error {
	folder, err := os.MkdirTemp("", "relay-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, t.program())
	fmt.Println("building", t.name)
	if err := r.build(t, program); err != nil {
		return err
	}
	if err := r.archive(t, program); err != nil {
		return err
	}
	if err := r.bill(t, program); err != nil {
		return err
	}
	if t.system != "linux" {
		return nil
	}
	return r.packages(t, program)
}

// file is the path of a part of the release.
func (r release) file(name string) string { return filepath.Join(r.out, name) }

// base is how the names of a target's files begin.
func (r release) base(t target) string { return "relay_" + r.version + "_" + t.name }

// checksums writes SHA256SUMS, of every other file, and returns the sums by name.
func (r release) checksums() (map[string]string, error) {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return nil, err
	}
	sums, lines := map[string]string{}, []string{}
	for _, e := range entries {
		if e.Name() == "SHA256SUMS" {
			continue
		}
		sum, err := checksum(r.file(e.Name()))
		if err != nil {
			return nil, err
		}
		sums[e.Name()] = sum
		lines = append(lines, sum+"  "+e.Name()+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return sums, os.WriteFile(r.file("SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}

func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
