package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// families are the prefixes of relay's variables, beside the bridges' names: hardly any other program reads
// a variable that begins with one of them.
var families = []string{"AI_", "BACKUP_", "BUSINESS_", "EVENTS_WEBHOOK_", "IDENTITY_", "METRICS_", "NATS_", "RELAY_", "UA_FILTER_"}

// family returns the prefix that a name shares with variables of relay, "" when
// it has none.
func (vs Variables) family(name string) string {
	all := slices.Clone(families)
	for _, v := range vs {
		if v.setting != nil && v.setting.Bridge != "" {
			all = append(all, strings.ToUpper(v.setting.Bridge)+"_")
		}
	}
	i := slices.IndexFunc(all, func(f string) bool { return strings.HasPrefix(strings.ToUpper(name), f) })
	if i < 0 {
		return ""
	}
	return all[i]
}

// warnUnknown warns of variables that nobody reads, those that are meant for
// relay and those that are nearly its own: a typing error would otherwise pass
// unseen.
func (l *loader) warnUnknown(origin string, meant func(name string) bool, source map[string]string) {
	var known []string
	for _, v := range l.known {
		known = append(known, v.name)
		if v.secret {
			known = append(known, v.fileName())
		}
	}
	for name, text := range source {
		if text == "" || slices.Contains(known, name) || !meant(name) && !slip(name, known) {
			continue
		}
		warning := fmt.Sprintf("%s (%s) is not a setting of relay", name, origin)
		if near := l.known.nearest(name, known); near != "" {
			warning += "; did you mean " + near + "?"
		}
		l.warnings = append(l.warnings, warning)
	}
	slices.Sort(l.warnings)
}

// nearest returns the variable that was most likely meant, "" when there
// is none: the same without RELAY_, with its words in another order, or with a
// few typing errors. A prefix is taken at its word.
func (vs Variables) nearest(name string, known []string) string {
	name = strings.ToUpper(name)
	if bare := strings.TrimPrefix(name, "RELAY_"); slices.Contains(known, bare) {
		return bare
	}
	words := func(name string) []string { return slices.Sorted(strings.SplitSeq(name, "_")) }
	if i := slices.IndexFunc(known, func(k string) bool { return slices.Equal(words(k), words(name)) }); i >= 0 {
		return known[i]
	}
	if f := vs.family(name); f != "" {
		known = slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.Contains(k, f) })
	}
	return nearest(name, known)
}

// slip reports whether a name is so near to a long one that it can hardly belong
// to another program.
func slip(name string, known []string) bool {
	name = strings.ToUpper(name)
	near := func(k string) bool {
		return len(k) >= 8 && lettersApart(name, k) <= 4 && chat.EditDistance(name, k) <= 2
	}
	return slices.ContainsFunc(known, near)
}

// lettersApart counts the letters that only one of two names has. Each typing error
// adds two at most, so it finds soon that most names are not near at all.
func lettersApart(a, b string) (apart int) {
	var count [256]int
	for i := range len(a) {
		count[a[i]]++
	}
	for i := range len(b) {
		count[b[i]]--
	}
	for _, n := range count {
		apart += max(n, -n)
	}
	return apart
}
