package quote

import "strings"

const (
	pgpSigned = "-----BEGIN PGP SIGNED MESSAGE-----"
	pgpBegin  = "-----BEGIN PGP SIGNATURE-----"
	pgpEnd    = "-----END PGP SIGNATURE-----"
)

// unwrapSigned takes the words out of a message that is signed inline (RFC 9580, section 7).
func unwrapSigned(all []line) []line {
	begin := lineWith(all, 0, pgpSigned)
	if begin < 0 {
		return all
	}
	signature := lineWith(all, begin, pgpBegin)
	if signature < 0 {
		return all
	}
	text := begin + 1
	for text < signature && strings.HasPrefix(all[text].words, "Hash:") {
		text++
	}
	out := append([]line(nil), all[:begin]...)
	for _, l := range all[text:signature] {
		if rest, dashed := strings.CutPrefix(l.raw, "- "); dashed {
			l = line{raw: rest, words: comparable(rest), quoted: isQuoted(comparable(rest))}
		}
		out = append(out, l)
	}
	if end := lineWith(all, signature, pgpEnd); end >= 0 {
		return append(out, all[end+1:]...)
	}
	for signature < len(all) && isArmor(all[signature].words) {
		signature++
	}
	return append(out, all[signature:]...)
}

// lineWith is the index of the first line from i on that has these words, -1 if there is none.
func lineWith(all []line, i int, words string) int {
	for ; i < len(all); i++ {
		if all[i].words == words {
			return i
		}
	}
	return -1
}

// isArmor reports whether a line can stand within a signature.
func isArmor(words string) bool {
	return !strings.Contains(words, " ") || words == pgpBegin || strings.HasPrefix(words, "Version:") || strings.HasPrefix(words, "Comment:")
}
