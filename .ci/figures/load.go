package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pkg is a package of relay with its types.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Export     string // the file with the compiled package
	Module     *struct{ Path, Dir string }

	set   *token.FileSet
	files []file
	types *types.Package
	info  types.Info
}

type file struct {
	path string // from the module's folder
	text string
	tree *ast.File
}

// load reads the packages of the module that a program is linked from.
func load(program string) ([]*pkg, error) {
	listed, err := list(program)
	if err != nil {
		return nil, err
	}
	compiled := map[string]string{}
	for _, p := range listed {
		compiled[p.ImportPath] = p.Export
	}
	set := token.NewFileSet()
	from := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	home := listed[len(listed)-1].Module.Path // the program itself comes last
	var own []*pkg
	for _, p := range listed {
		if p.Module == nil || p.Module.Path != home {
			continue
		}
		if err := p.check(set, from); err != nil {
			return nil, err
		}
		own = append(own, p)
	}
	return own, nil
}

func list(program string) ([]*pkg, error) {
	out, err := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export,Module", program).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("go list: %s", failed.Stderr)
	}
	var packages []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); err == nil; {
		p := new(pkg)
		if err = d.Decode(p); err == nil {
			packages = append(packages, p)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return packages, err
}

// check reads the package's files and finds what each name in them means.
func (p *pkg) check(set *token.FileSet, from types.Importer) error {
	p.set = set
	p.info = types.Info{Uses: map[*ast.Ident]types.Object{}}
	var trees []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(p.Module.Dir, path)
		if err != nil {
			return err
		}
		p.files = append(p.files, file{short, string(text), tree})
		trees = append(trees, tree)
	}
	var err error
	p.types, err = (&types.Config{Importer: from}).Check(p.ImportPath, set, trees, &p.info)
	return err
}

// name is the package's folder within the module, "." for the module's own.
func (p *pkg) name() string {
	if name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/"); name != "" {
		return name
	}
	return "."
}

func (p *pkg) lines() (n int) {
	for _, f := range p.files {
		n += strings.Count(f.text, "\n")
	}
	return n
}

func (p *pkg) eachFunction(visit func(*ast.FuncDecl)) {
	for _, f := range p.files {
		for _, d := range f.tree.Decls {
			if function, ok := d.(*ast.FuncDecl); ok {
				visit(function)
			}
		}
	}
}
