package naming

import "strconv"

// Size words a number of bytes as widget and console do: a KB is 1,000 of them.
func Size(bytes int64) string {
	switch kb := (bytes + 500) / 1000; {
	case bytes < 1000:
		return strconv.FormatInt(bytes, 10) + " B"
	case kb < 1000:
		return strconv.FormatInt(kb, 10) + " KB"
	}
	tenths := (bytes + 50_000) / 100_000
	text := strconv.FormatInt(tenths/10, 10)
	if rest := tenths % 10; rest > 0 {
		text += "." + strconv.FormatInt(rest, 10)
	}
	return text + " MB"
}
