package assets_test

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// finger puts one finger on an element, moves it by each of the distances in turn,
// runs a check while it is down, and lifts it.
func (b *tab) finger(selector string, check string, moves ...[2]float64) {
	b.Helper()
	at := eval[[]float64](b, `(({ x, y, width, height }) => [x + width / 2, y + height / 2])($("`+selector+`").getBoundingClientRect())`)
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		b.Helper()
		if _, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points}); err != nil {
			b.Fatal(err)
		}
	}
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at[0], Y: at[1]})
	for _, by := range moves {
		touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: at[0] + by[0], Y: at[1] + by[1]})
	}
	b.until(check)
	touch(input.DispatchTouchEventTypeTouchEnd)
}

// phone is a page on a phone with a question and an answer.
func phone(t *testing.T, attributes string) *tab {
	t.Helper()
	f, b := ready(t, attributes)
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.says("Is the lamp in stock?")
	f.reply(t, "In clay and sage.")
	b.until(`rows().at(-1) === "In clay and sage."`)
	return b
}

// TestSwipe: a message that a finger pulls towards the middle is answered; one that
// is pulled too little, or up, is not.
func TestSwipe(t *testing.T) {
	b := phone(t, "")
	const last, put = ".theirs.last:last-child", `!$(".theirs.last:last-child").style.translate`
	b.finger(last, `$(".actions")`) // the first touch loads the part
	b.finger(last, put, [2]float64{2, 20}, [2]float64{8, 90})
	b.finger(last, `parseFloat($(".theirs.last:last-child").style.translate) === 30`, [2]float64{12, 1}, [2]float64{30, 2})
	b.until(put)
	b.is(`!shown(".editbar")`)
	b.finger(last, `parseFloat($(".theirs.last:last-child").style.translate) === 64`, [2]float64{12, 1}, [2]float64{40, 2}, [2]float64{90, 3})
	b.until(put + ` && $(".editbar span").textContent.includes("In clay and sage.") && root.activeElement === $("textarea")`)
	b.write("Sage, please")
	b.until(`$$(".own.sent").at(-1).querySelector(".quote")?.textContent.includes("In clay and sage.")`)
	b.clean()
}

// TestSwipeFromRightToLeft: the middle is on the other side.
func TestSwipeFromRightToLeft(t *testing.T) {
	b := phone(t, `data-locale="he"`)
	const last, put = ".theirs.last:last-child", `!$(".theirs.last:last-child").style.translate`
	b.finger(last, `$(".actions")`)
	b.finger(last, `parseFloat($(".theirs.last:last-child").style.translate) === 0`, [2]float64{40, 0}, [2]float64{90, 0})
	b.until(put)
	b.is(`!shown(".editbar")`)
	b.finger(last, `parseFloat($(".theirs.last:last-child").style.translate) === -64`, [2]float64{-40, 0}, [2]float64{-90, 0})
	b.until(put + ` && shown(".editbar")`)
}
