package bundle

import (
	"fmt"
	"strings"
)

// OwnNames are properties that only the widget's own objects have, in memory alone. Its files
// call them by a letter or two, which saves visitors 2 % of the download; the names in the
// sources stay. A name of the API, of the page's RelayChat, of a text, of the browser, or
// of anything that is stored or sent must not stand here.
var OwnNames = strings.Fields(`afterSend begin below broken compete drawn editLast emit enter healthy inside
	isOwn isThere isWhole lead leading leave life onAlive onAsk onRefused onState onrefresh parts placed prechatDone quiet restart
	reveal revive rich scroller setLook setOpen settled shell styles subscribers toEnd unplaced wake want above inShort setUnread
	words spoken older`)

// shortNames gives each of them the same short one in all files.
func shortNames() map[string]any {
	short := make(map[string]any, len(OwnNames))
	for i, name := range OwnNames {
		letter := string(rune('a' + i%25 + i%25/16)) // without q, which is the snippet's
		if i >= 25 {
			letter += fmt.Sprint(i / 25)
		}
		short[name] = letter
	}
	return short
}
