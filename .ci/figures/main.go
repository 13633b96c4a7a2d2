// Command figures counts what the structure of relay is judged by: the largest
// packages and their knots of files, the largest types and interfaces, the lengths of
// functions, and who names a platform. Run it in the checkout: go run ./.ci/figures
//
// It counts what the program is linked from for this machine, without tests and
// tools.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strings"
)

// longest is how many lines a function may have.
const longest = 60

func main() {
	packages, err := load(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
	printPackages(packages)
	printTypes(packages)
	printFunctions(packages)
	printPlatforms(packages)
}

// printPackages prints the sizes of packages. The knot of a package is its largest set
// of files of which each refers to each other, directly or through others.
func printPackages(packages []*pkg) {
	total := 0
	for _, p := range packages {
		total += p.lines()
	}
	fmt.Printf("Shipped Go lines: %d in %d packages\n\nPackage: lines, files, knot\n", total, len(packages))
	bySize := slices.SortedFunc(slices.Values(packages), func(a, b *pkg) int { return b.lines() - a.lines() })
	for _, p := range bySize[:min(len(bySize), 12)] {
		fmt.Printf("  %-28s %6d %4d %4d\n", p.name(), p.lines(), len(p.files), p.knot())
	}
}

// printTypes prints the types with the most methods of their own, and the largest
// interfaces. One that only unites others does not count.
func printTypes(packages []*pkg) {
	var structs, interfaces []count
	for _, p := range packages {
		scope := p.types.Scope()
		for _, name := range scope.Names() {
			t, ok := scope.Lookup(name).Type().(*types.Named)
			if _, isType := scope.Lookup(name).(*types.TypeName); !isType || !ok {
				continue
			}
			structs = append(structs, count{p.name() + "." + name, t.NumMethods()})
			if i, ok := t.Underlying().(*types.Interface); ok {
				interfaces = append(interfaces, count{p.name() + "." + name, i.NumExplicitMethods()})
			}
		}
	}
	printLargest("Type: methods", structs, 8)
	printLargest("Interface: methods that it declares itself", interfaces, 5)
}

// printFunctions prints how long functions are, from the line of func to the last.
func printFunctions(packages []*pkg) {
	var lengths []int
	var over []string
	for _, p := range packages {
		p.eachFunction(func(f *ast.FuncDecl) {
			first, last := p.set.Position(f.Pos()), p.set.Position(f.End())
			n := last.Line - first.Line + 1
			lengths = append(lengths, n)
			if n > longest {
				over = append(over, fmt.Sprintf("%s: %d lines", first, n))
			}
		})
	}
	slices.Sort(lengths)
	fmt.Printf("\nFunctions: %d, median %d lines, nine of ten within %d, longest %d, over %d: %d\n",
		len(lengths), lengths[len(lengths)/2], lengths[len(lengths)*9/10], lengths[len(lengths)-1], longest, len(over))
	for _, line := range over {
		fmt.Println("  " + line)
	}
}

// platforms are the names that only a platform's own folder, the table of kinds and the
// guides may have.
var platforms = []string{"telegram", "discord", "slack"}

// printPlatforms prints the files that name a platform outside its folder.
func printPlatforms(packages []*pkg) {
	var places []count
	for _, p := range packages {
		if slices.ContainsFunc(platforms, func(name string) bool { return strings.HasPrefix(p.name(), "bridges/"+name) }) {
			continue
		}
		for _, file := range p.files {
			text := strings.ToLower(file.text)
			n := 0
			for _, name := range platforms {
				n += strings.Count(text, name)
			}
			if n > 0 {
				places = append(places, count{file.path, n})
			}
		}
	}
	printLargest(fmt.Sprintf("Go files that name a platform outside its folder: %d", len(places)), places, len(places))
}

// count is a number of something.
type count struct {
	what string
	n    int
}

func printLargest(title string, list []count, most int) {
	slices.SortStableFunc(list, func(a, b count) int { return cmp.Compare(b.n, a.n) })
	fmt.Printf("\n%s\n", title)
	for _, c := range list[:min(len(list), most)] {
		fmt.Printf("  %-44s %4d\n", c.what, c.n)
	}
}
