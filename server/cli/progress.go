package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Progress is how far a command is with a part of its work.
type Progress struct {
	Action      string        `json:"action"` // copy, check
	Part        string        `json:"part"`
	Nth         int           `json:"nth"`
	Of          int           `json:"of"`
	Done        int64         `json:"done"`
	Total       int64         `json:"total"`
	RowsASecond int64         `json:"rowsPerSecond"`
	Rest        time.Duration `json:"-"`
}

// Print writes a line about the progress, for programs if asJSON.
func (p Progress) Print(w io.Writer, asJSON bool) {
	if asJSON {
		line, err := json.Marshal(struct {
			Progress
			Rest float64 `json:"secondsLeft"`
		}{p, p.Rest.Seconds()})
		if err == nil {
			fmt.Fprintf(w, "%s\n", line)
		}
		return
	}
	fmt.Fprintln(w, p.line())
}

func (p Progress) line() string {
	head := fmt.Sprintf("%s %-14s %2d of %d", p.Action, p.Part, p.Nth, p.Of)
	switch {
	case p.Action != "copy":
		return fmt.Sprintf("%s  %s rows", head, grouped(p.Total))
	case p.Done >= p.Total:
		return fmt.Sprintf("%s  %s rows", head, grouped(p.Done))
	}
	return fmt.Sprintf("%s  %s of %s rows (%d %%), %s a second, %s left", head, grouped(p.Done), grouped(p.Total), p.Done*100/p.Total,
		grouped(p.RowsASecond), p.Rest.Round(time.Second))
}

// grouped writes a number with a comma for each thousand.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
