package chat

import "strconv"

// Count says how many of something there are: "1 file", "2 files".
func Count[N int | int64](n N, one string) string {
	text := strconv.FormatInt(int64(n), 10) + " " + one
	if n != 1 {
		text += "s"
	}
	return text
}
