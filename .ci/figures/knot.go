package main

import "go/types"

// knot is the size of the largest set of files that all refer to each other, directly or
// through others of the set.
func (p *pkg) knot() int {
	refers := p.references()
	reach := make([][]bool, len(p.files))
	for from := range p.files {
		reach[from] = make([]bool, len(p.files))
		walk(refers, from, reach[from])
	}
	largest := 0
	for a := range p.files {
		together := 0
		for b := range p.files {
			if a == b || reach[a][b] && reach[b][a] {
				together++
			}
		}
		largest = max(largest, together)
	}
	return largest
}

func walk(refers [][]bool, from int, seen []bool) {
	for to, does := range refers[from] {
		if does && !seen[to] {
			seen[to] = true
			walk(refers, to, seen)
		}
	}
}

// references tells for each file which others of the package it takes names from:
// functions, types, methods, fields, variables.
func (p *pkg) references() [][]bool {
	declaredIn := map[string]int{}
	for i, f := range p.files {
		declaredIn[p.set.Position(f.tree.FileStart).Filename] = i
	}
	refers := make([][]bool, len(p.files))
	for i := range refers {
		refers[i] = make([]bool, len(p.files))
	}
	for name, object := range p.info.Uses {
		if _, isImport := object.(*types.PkgName); isImport || object.Pkg() != p.types {
			continue
		}
		from, to := declaredIn[p.set.Position(name.Pos()).Filename], declaredIn[p.set.Position(object.Pos()).Filename]
		refers[from][to] = true
	}
	return refers
}
