package chat

import (
	"encoding/json"
	"slices"
)

// The values of the setting outsideHours: what visitors find while nobody is there.
const (
	OutsideChat = "chat" // the same as always
	OutsideForm = "form" // they are asked who they are
	OutsideHide = "hide" // no widget, unless they have opened it before
)

// maxHiddenPages is how many patterns of pages hide the widget.
const maxHiddenPages = 50

// hiddenPages checks the setting of that name.
func hiddenPages(value json.RawMessage) error {
	const must = `a list of paths like ["/checkout*","/cart"]`
	if err := shape[[]string](must)(value); err != nil {
		return err
	}
	var list []string
	bad := func(p string) bool { return !isPagePattern(p) }
	if json.Unmarshal(value, &list) != nil || list == nil || len(list) > maxHiddenPages || slices.ContainsFunc(list, bad) {
		return checkError("must be at most 50 paths like /checkout or /shop/*")
	}
	return nil
}
