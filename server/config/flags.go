package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// variable is a setting as people write it: NAME in the environment and in env
// files, --name as a flag.
type variable struct {
	name, is, example string
	preset            string // its value when nobody gives one
	secret, boolean   bool
	setting           *chat.Setting // nil for one of [Config]
}

// fileName is the variable that names a file with the secret in it.
func (v variable) fileName() string { return v.name + "_FILE" }

func flagName(name string) string { return "--" + strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// Variables are all that relay can be configured with.
type Variables []variable

// Declare returns the variables of Config and those of the declared settings.
func Declare(settings []chat.Setting) Variables {
	return slices.Concat(configVariables(), settingVariables(settings))
}

func configVariables() (list Variables) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if name := field.Tag.Get("env"); name != "-" {
			list = append(list, variable{name: name, is: field.Tag.Get("is"), example: field.Tag.Get("example"),
				preset: field.Tag.Get("envDefault"), secret: field.Type == reflect.TypeFor[Secret](),
				boolean: field.Type.Kind() == reflect.Bool})
		}
	}
	return list
}

func settingVariables(settings []chat.Setting) (list Variables) {
	for i := range settings {
		s := &settings[i]
		if s.Env == "" {
			continue
		}
		v := variable{name: s.Env, is: cmp.Or(s.Is, "text"), example: s.Example, secret: s.Secret, preset: strings.Trim(s.Default, `"`), setting: s}
		if s.Boolean() {
			v.boolean, v.is, v.example = true, "true or false", "true"
		}
		list = append(list, v)
	}
	return list
}

// named returns a variable that exists.
func (vs Variables) named(name string) variable {
	return vs[slices.IndexFunc(vs, func(v variable) bool { return v.name == name })]
}

// FlagHelp explains the flags on the command line.
const FlagHelp = `Flags:
  --env-file FILE      read settings from FILE (default: relay.env, if it exists)
  --json               print JSON, for scripts (keys, people list, doctor,
                       config print, webhook test, webhook list, copy,
                       conversations, read, reply, note, stats)
  --NAME VALUE         any setting: PORT is --port, DATABASE_URL is --database-url

relay needs no settings to start. Flags override the environment, and the environment
overrides the env file. To start such a file: relay help settings > relay.env

Exit codes: 0 success; 1 failure, explained in the last line; 2 a wrong command
line or setting.
`

// FlagUsage explains the flags of a command: those of the named settings, which
// matter most to it, and that all others may be given, too.
func (vs Variables) FlagUsage(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		v := vs.named(name)
		forms := flagName(name) + " VALUE"
		if v.secret {
			forms += ", " + flagName(v.fileName()) + " FILE"
		}
		fmt.Fprintf(&b, "  %s\n        %s, for example %s\n", forms, v.is, v.example)
	}
	b.WriteString("  --env-file FILE\n        read settings from FILE (default: relay.env, if it exists)\n" +
		"  --NAME VALUE\n        any other setting: METRICS_ADDR is --metrics-addr\n")
	return b.String()
}

// Flags is a command line, taken apart.
type Flags struct {
	Args    []string // what is not a flag: the command and its arguments
	Help    bool
	Version bool
	JSON    bool // for programs to read
	Yes     bool // what cannot be undone is meant
	EndKeys bool // of keys rotate secret: what the key made ends, too
	EnvFile string

	// Options are those of single commands, like --origin, by name, in the order given.
	Options map[string][]string

	options  []string
	known    Variables
	values   map[string]string // by variable
	mistakes Mistakes
}

// OnlyOptions returns the mistakes in the flags of a command that reads no settings.
func (f *Flags) OnlyOptions() error {
	mistakes := slices.Clone(f.mistakes)
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		mistakes = append(mistakes, Mistake{Name: flagName(name), Text: "is a setting of the relay that runs elsewhere; this command reads none"})
	}
	if f.EnvFile != "" {
		mistakes = append(mistakes, Mistake{Name: "--env-file", Text: "has settings, and this command reads none"})
	}
	if len(mistakes) == 0 {
		return nil
	}
	return mistakes
}

// ParseFlags takes a command line apart. Flags may stand before and behind the
// command; mistakes in them are reported with the others by [Load].
//
// Options are the flags of single commands, each with a value.
func (vs Variables) ParseFlags(args []string, options ...string) Flags {
	f := Flags{known: vs, values: map[string]string{}, options: options, Options: map[string][]string{}}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			f.Args, args = append(f.Args, args...), nil
		case arg == "-h" || arg == "--help" || arg == "-help":
			f.Help = true
		case arg == "--version":
			f.Version = true
		case arg == "--json":
			f.JSON = true
		case arg == "--yes":
			f.Yes = true
		case arg == "--end-keys":
			f.EndKeys = true
		case len(arg) > 1 && arg[0] == '-':
			args = f.parseFlag(arg, args)
		default:
			f.Args = append(f.Args, arg)
		}
	}
	return f
}

// parseFlag reads a flag and its value, which may be the next argument, and
// returns the arguments behind it. A single - does as well as two.
func (f *Flags) parseFlag(arg string, rest []string) []string {
	name, text, given := strings.Cut("--"+strings.TrimLeft(arg, "-"), "=")
	variable, boolean, known := f.known.lookupFlag(name)
	option := slices.Contains(f.options, name)
	known = known || option
	switch {
	case !known:
		f.unknown(name)
		if !given && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			rest = rest[1:] // most likely its value
		}
		return rest
	case given:
	case boolean && (len(rest) == 0 || !isBool(rest[0])):
		text = "true"
	case len(rest) == 0 || (len(rest[0]) > 1 && strings.HasPrefix(rest[0], "--")):
		f.mistakes = append(f.mistakes, Mistake{name, "needs a value", name + "=" + f.known.exampleFor(variable)})
		return rest
	default:
		text, rest = rest[0], rest[1:]
	}
	if option {
		f.Options[name] = append(f.Options[name], text)
	} else if variable == "" {
		f.EnvFile = text
	} else {
		f.values[variable] = text
	}
	return rest
}

// lookupFlag finds the variable that a flag stands for; --env-file stands for
// none.
func (vs Variables) lookupFlag(name string) (variable string, boolean, known bool) {
	if name == "--env-file" {
		return "", false, true
	}
	for _, v := range vs {
		if flagName(v.name) == name {
			return v.name, v.boolean, true
		}
		if v.secret && flagName(v.fileName()) == name {
			return v.fileName(), false, true
		}
	}
	return "", false, false
}

func isBool(text string) bool {
	_, err := parseBool(text)
	return err == nil
}

func (vs Variables) exampleFor(name string) string {
	if i := slices.IndexFunc(vs, func(v variable) bool { return v.name == name }); i >= 0 {
		return vs[i].example
	}
	return "/path/to/file"
}

func (f *Flags) unknown(name string) {
	known := []string{"--env-file", "--help", "--version", "--json", "--yes", "--end-keys"}
	for _, v := range f.known {
		known = append(known, flagName(v.name))
		if v.secret {
			known = append(known, flagName(v.fileName()))
		}
	}
	m := Mistake{Name: name, Text: "is not a flag of relay; relay help settings lists them"}
	if near := nearest(name, known); near != "" {
		m.Text = "is not a flag of relay; did you mean " + near + "?"
	}
	f.mistakes = append(f.mistakes, m)
}

// nearest returns the known name that is a few typing errors away from name, or
// the only one that ends in it, "" when there is none.
func nearest(name string, known []string) string {
	best, least := "", len(name)/3+2
	for _, k := range known {
		if d := chat.EditDistance(name, k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return best
	}
	ends := func(k string) bool { return strings.HasSuffix(k, "_"+name) }
	if i := slices.IndexFunc(known, ends); i >= 0 && !slices.ContainsFunc(known[i+1:], ends) {
		return known[i]
	}
	return ""
}
