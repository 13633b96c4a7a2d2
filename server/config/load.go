package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/relay-chat/relay/server/chat"
)

// defaultEnvFile is read from the working directory if it exists.
const defaultEnvFile = "relay.env"

// Mistake is one thing that is wrong with the configuration.
type Mistake struct {
	Name    string // the variable or the flag
	Text    string // the end of a sentence that begins with the name
	Example string // how it could look, "" when that helps nobody
}

// Mistakes is everything that is wrong with the configuration.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the configuration has %d mistake", len(m))
	if len(m) != 1 {
		b.WriteByte('s')
	}
	for _, mistake := range m {
		fmt.Fprintf(&b, "\n  %s %s", mistake.Name, mistake.Text)
		if mistake.Example != "" {
			fmt.Fprintf(&b, "\n      for example: %s", mistake.Example)
		}
	}
	return b.String()
}

// Load gathers the settings: flags win over the environment, and the
// environment over the env file. It returns every mistake at once, as
// [Mistakes], and warnings about variables that it does not know.
func (vs Variables) Load(flags Flags, environ []string) (Config, []string, error) {
	l := vs.gather(flags, environ)
	cfg := l.parse()
	if len(l.mistakes) > 0 {
		return Config{}, l.warnings, l.mistakes
	}
	return cfg, l.warnings, nil
}

// gather collects the values of all sources, the strongest first.
func (vs Variables) gather(flags Flags, environ []string) *loader {
	l := &loader{known: vs, values: map[string]value{}, mistakes: slices.Clone(flags.mistakes)}
	if len(flags.Args) > 0 {
		if mode, ok := modeCommands[flags.Args[0]]; ok {
			l.values["RELAY_MODE"] = value{string(mode), "command"}
		}
	}
	l.take("flag", flags.values)
	l.take("environment", fromEnviron(environ))
	l.warnUnknown("environment", func(name string) bool { return vs.family(name) != "" }, fromEnviron(environ))
	l.takeCredentials(credentials(fromEnviron(environ), flags.EnvFile))
	l.takeFile(flags.EnvFile)
	l.readSecretFiles()
	return l
}

// modeCommands are the commands that say which server runs, whatever else does.
var modeCommands = map[string]chat.Mode{"serve": chat.ModeCommunity, "bridge": chat.ModeBridge}

// value is the text of a variable and where it was found.
type value struct{ text, origin string }

// loader collects values, mistakes and warnings.
type loader struct {
	known    Variables
	values   map[string]value
	mistakes Mistakes
	warnings []string
}

func (l *loader) wrong(name, example, format string, args ...any) {
	if v, ok := l.values[name]; ok {
		name += " (" + v.origin + ")"
	}
	l.mistakes = append(l.mistakes, Mistake{name, fmt.Sprintf(format, args...), example})
}

// take adds a source's values where no earlier source has given one. NAME and
// NAME_FILE are two forms of one value. An empty value is none: compose files
// pass variables on that way.
func (l *loader) take(origin string, source map[string]string) {
	for _, v := range l.known {
		text, file := source[v.name], ""
		if v.secret {
			file = source[v.fileName()]
		}
		if text != "" && file != "" {
			l.wrong(v.name, "", "and %s are both set; keep one of them", v.fileName())
		}
		if _, ok := l.find(v); ok {
			continue
		}
		if text != "" {
			l.values[v.name] = value{text, origin}
		} else if file != "" {
			l.values[v.fileName()] = value{file, origin}
		}
	}
}

func (l *loader) find(v variable) (value, bool) {
	if found, ok := l.values[v.name]; ok {
		return found, true
	}
	found, ok := l.values[v.fileName()]
	return found, ok
}

// takeFile reads the env file. One that was asked for must exist.
func (l *loader) takeFile(path string) {
	name := path
	if path == "" {
		name = defaultEnvFile
	}
	data, err := readFile(name)
	if path == "" && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.mistakes = append(l.mistakes, Mistake{"--env-file", "cannot be read: " + err.Error(), "--env-file=/etc/relay/relay.env"})
		return
	}
	source, mistakes := parseEnvFile(name, string(data))
	l.mistakes = append(l.mistakes, mistakes...)
	l.take(name, source)
	l.warnUnknown(name, func(string) bool { return true }, source)
}

// parseEnvFile reads lines of NAME=value. Comments, quotes and a leading
// export are understood, nothing is ever expanded: a secret may contain a $.
// Its own code, because a report must name the line and never show its value.
func parseEnvFile(file, text string) (map[string]string, Mistakes) {
	values, mistakes := map[string]string{}, Mistakes(nil)
	if strings.ContainsRune(text, 0) {
		return nil, Mistakes{{file, "is not UTF-8 text: save it as that", ""}}
	}
	text = strings.TrimPrefix(text, "\ufeff") // some editors on Windows begin files with it
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, text, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		text, err := unquote(strings.TrimSpace(text))
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			err = errors.New("is not of the form NAME=value")
		}
		if err != nil {
			mistakes = append(mistakes, Mistake{fmt.Sprintf("%s line %d", file, i+1), err.Error(), "PORT=8080"})
			continue
		}
		values[name] = text
	}
	return values, mistakes
}

// unquote removes the quotes around a value or the comment behind it.
func unquote(text string) (string, error) {
	if text == "" || (text[0] != '"' && text[0] != '\'') {
		if i := strings.Index(text, " #"); i >= 0 {
			text = strings.TrimSpace(text[:i])
		}
		return strings.TrimSpace(text), nil
	}
	inside, rest, ok := strings.Cut(text[1:], text[:1])
	rest = strings.TrimSpace(rest)
	if !ok || (rest != "" && rest[0] != '#') {
		return "", errors.New("has a quote without its partner")
	}
	return inside, nil
}

// readSecretFiles puts what is in the file NAME_FILE in the place of NAME.
func (l *loader) readSecretFiles() {
	for _, v := range l.known {
		file, ok := l.values[v.fileName()]
		if !v.secret || !ok {
			continue
		}
		data, err := readFile(file.text)
		text := strings.TrimRight(string(data), "\r\n")
		if err == nil && text == "" {
			err = fmt.Errorf("%s is empty", file.text)
		}
		if err != nil {
			l.wrong(v.fileName(), v.fileName()+"=/run/secrets/"+strings.ToLower(v.name), "cannot be used: %v", err)
			continue
		}
		l.values[v.name] = value{text, file.text}
	}
}

// parse turns the values into a Config.
func (l *loader) parse() Config {
	var cfg Config
	texts := map[string]string{}
	for name, v := range l.values {
		texts[name] = v.text
	}
	err := env.ParseWithOptions(&cfg, env.Options{Environment: texts, FuncMap: parsers})
	wrong := unreadable(err)
	for _, name := range cfg.check() {
		if !slices.Contains(wrong, name) {
			wrong = append(wrong, name)
		}
	}
	for _, name := range wrong {
		l.malformed(name)
	}
	if cfg.Mode == chat.ModeBridge {
		l.presetBridge(&cfg)
	}
	l.mistakes = append(l.mistakes, cfg.conflicts()...)
	l.parseSettings(&cfg)
	return cfg
}

// presetBridge gives what nobody has set the values of bridge mode.
func (l *loader) presetBridge(cfg *Config) {
	if _, given := l.values["PORT"]; !given {
		cfg.Port = bridgePort
	}
	if _, given := l.find(l.known.named("DATABASE_URL")); !given {
		cfg.DatabaseURL = ""
	}
	if _, given := l.values["EVENTS_WEBHOOK_RETRIES"]; !given {
		cfg.WebhookRetries = bridgeRetries
	}
}

// unreadable returns the variables that the env library could not read.
func unreadable(err error) (names []string) {
	var failed env.AggregateError
	if !errors.As(err, &failed) {
		return nil
	}
	for _, err := range failed.Errors {
		var field env.ParseError
		if !errors.As(err, &field) {
			panic(err) // Config has a field of a type that nothing reads
		}
		f, _ := reflect.TypeFor[Config]().FieldByName(field.Name)
		names = append(names, f.Tag.Get("env"))
	}
	return names
}

// malformed reports a value that is not what it must be. It shows the value
// unless it is a secret.
func (l *loader) malformed(name string) {
	v := l.known.named(name)
	text, hint := l.values[name].text, ""
	shown := fmt.Sprintf("%q", text)
	if v.secret {
		shown = "its value"
	}
	if strings.Trim(text, unseen) != text {
		hint = "; there are blanks, line breaks or quotes around it"
	}
	l.wrong(name, name+"="+v.example, "is wrong: %s is not %s%s", shown, v.is, hint)
}

// unseen is what people paste around a value without noticing.
const unseen = " \t\r\n\u00a0\ufeff\"'`“”„‘’"

// parseSettings encodes the values of the admin API's settings as JSON.
func (l *loader) parseSettings(cfg *Config) {
	cfg.Settings = map[string]chat.Raw{}
	for _, v := range l.known {
		given, ok := l.values[v.name]
		if v.setting == nil || !ok {
			continue
		}
		raw, err := v.encode(given.text)
		if err == nil {
			err = v.setting.Check(json.RawMessage(raw))
		}
		switch {
		case err == nil:
			cfg.Settings[v.setting.Name] = raw
		case err == errMalformed || v.setting.Is != "":
			l.malformed(v.name)
		default:
			l.wrong(v.name, v.name+"="+v.example, "%s", strings.TrimPrefix(err.Error(), "."))
		}
	}
}

// encode returns the text of a setting's variable as the JSON of the admin API.
func (v *variable) encode(text string) (raw chat.Raw, err error) {
	var is any = text
	if v.boolean {
		if is, err = parseBool(text); err != nil {
			return nil, err
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && v.setting.JSON {
		is = n // also of a text like 030
	} else if v.setting.JSON {
		return chat.Raw(text), nil
	}
	return json.Marshal(is)
}

func fromEnviron(environ []string) map[string]string {
	values := map[string]string{}
	for _, pair := range environ {
		name, text, _ := strings.Cut(pair, "=")
		values[name] = text
	}
	return values
}
