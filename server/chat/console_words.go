package chat

import "strings"

// InConsole returns a fix as somebody at the console can follow it: in place of the
// variable of a setting that the environment does not set, it names the setting's page.
func (s *Settings) InConsole(fix string) string {
	for i := range s.declared {
		def := &s.declared[i]
		if def.Page == "" || !strings.Contains(fix, def.Env) || s.Source(def.Name) == "environment" {
			continue
		}
		page := "Settings → " + def.Page
		if def.Chosen != "" {
			return "in the console, under " + page + ", press Disconnect, then Connect, and choose the " + def.Chosen
		}
		words := append(s.longer(def.Env), "into "+def.Env, "into the console, under "+page, " ("+def.Env+")", "", def.Env, def.Called+" under "+page)
		fix = strings.NewReplacer(words...).Replace(fix)
	}
	return fix
}

// longer pairs each text about a variable whose name begins with another one's with itself: such
// a text is not about the other.
func (s *Settings) longer(env string) (same []string) {
	for i := range s.declared {
		if other := s.declared[i].Env; len(other) > len(env) && strings.HasPrefix(other, env) {
			same = append(same, "into "+other, "into "+other, " ("+other+")", " ("+other+")", other, other)
		}
	}
	return same
}

// FindingsInConsole are findings with fixes as the console shows them.
func (s *Settings) FindingsInConsole(list []Finding) []Finding {
	out := make([]Finding, len(list))
	for i, f := range list {
		f.Fix = s.InConsole(f.Fix)
		out[i] = f
	}
	return out
}
