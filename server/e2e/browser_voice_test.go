package e2e

import (
	"cmp"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// testVoice: a voice message from the chat shows its length and its waveform before it is loaded, on
// both sides, and plays in the inbox.
func testVoice(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Listen to this")
	v, b := p.visitor, p.operator
	v.click("[aria-label='Record a voice message']")
	v.until(`$(".voice .time")?.textContent === "0:02"`)
	v.click(".voice .send")
	v.until(`$(".own .player") && !shown(".own .file, .own.sending")`)
	b.until(`$(".voice-wave path")?.getAttribute("d").length > 300 && /^0:0[12]$/.test(text(".voice-time"))`)
	b.shot(folder, "voice-console")
	b.accessible("voice message")
	b.click(".voice .tool")
	b.until(`$(".voice .tool").title === "Pause"`)
	b.until(`$(".voice .tool").title === "Play" && !$(".voice-wave").ariaValueText.startsWith("0:00 ")`)
	b.run(`$(".voice-wave").focus()`)
	b.press("Home", 36)
	b.until(`$(".voice-wave").ariaValueNow === "0"`)

	// On its next page the chat has not loaded the sound either.
	v.visit(s.demo)
	v.run(`RelayChat.open()`)
	v.until(`/^0:0[12]$/.test(text(".player .time")) && $(".player .wave path").getAttribute("d").length > 300`)
	v.shot(folder, "voice-widget")
	for _, tab := range []*tab{v, b} {
		protocol(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	}
	v.shot(folder, "voice-widget-dark")
	b.shot(folder, "voice-console-dark")
	v.clean()
	b.clean()
}
