// Command build writes assets/dist from the TypeScript and CSS sources. It is
// run by `go generate ./assets`, with assets as the working directory, and
// produces the same bytes on every machine.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/relay-chat/relay/assets/build/bundle"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "build assets:", err)
		os.Exit(1)
	}
}

// run bundles the sources under root and replaces the contents of root/dist.
func run(root string) error {
	files, err := bundle.Build(root)
	if err != nil {
		return err
	}
	dist := filepath.Join(root, "dist")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		name, data := f.Stored()
		if err := os.WriteFile(filepath.Join(dist, name), data, 0o644); err != nil {
			return err
		}
		fmt.Printf("%-24s %6d bytes %6d gzip\n", name, len(f.Data), len(bundle.Gzip(f.Data)))
	}
	if err := removeOthers(dist, files); err != nil {
		return err
	}
	return writePackage(root)
}

// writePackage writes the npm package below root/npm.
func writePackage(root string) error {
	files, err := bundle.NPM(root)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(root, "npm", f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// removeOthers deletes what an earlier build left behind: hashed names change.
func removeOthers(dist string, keep []bundle.File) error {
	wanted := make(map[string]bool, len(keep))
	for _, f := range keep {
		name, _ := f.Stored()
		wanted[name] = true
	}
	entries, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if wanted[e.Name()] {
			continue
		}
		if err := os.Remove(filepath.Join(dist, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
