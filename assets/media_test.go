package assets_test

import (
	"bytes"
	"image"
	_ "image/jpeg"
	"slices"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/voice"
)

// paste puts files, as JavaScript expressions, into the field.
func (b *tab) paste(files string) {
	b.Helper()
	b.run(`(() => { const d = new DataTransfer(); for (const f of [` + files + `]) d.items.add(f);
		$("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true, cancelable: true })); })()`)
}

// uploaded returns the bytes of a file that the page sent.
func (f *fake) uploaded(name string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files[name]
}

func TestEmojiPicker(t *testing.T) {
	_, b := ready(t, "")
	b.open()
	b.run(`$("textarea").focus()`)
	b.text("to  Mars")
	b.run(`$("textarea").setSelectionRange(3, 3)`)
	b.click(".smile")
	b.until(`shown(".emoji") && root.activeElement === $(".emoji input") && $$(".groups button").length === 6`)
	b.is(`$$(".grid button").length > 30 && $(".groups [aria-pressed=true]").ariaLabel === "Faces"`)
	b.shot("emoji")
	b.text("rock")
	b.until(`$$(".grid button").length === 1 && $(".grid button").ariaLabel === "rocket launch"`)
	b.enter()
	b.until(`$("textarea").value === "to 🚀 Mars" && !shown(".emoji") && root.activeElement === $("textarea")`)
	b.click(".smile")
	b.key("ArrowDown", 40)
	b.key("ArrowRight", 39)
	b.until(`root.activeElement === $$(".grid button")[1]`)
	b.key("ArrowDown", 40)
	b.until(`root.activeElement === $$(".grid button")[9] && $$(".grid [tabindex='0']").length === 1`)
	b.up()
	b.up()
	b.until(`root.activeElement === $(".emoji input")`)
	b.text("zzz")
	b.until(`$(".emoji [role=status]").textContent === "No emoji found."`)
	b.escape()
	b.until(`!shown(".emoji") && shown(".panel") && root.activeElement === $("textarea")`)
	b.enter()
	b.until(`rows().at(-1) === "to 🚀 Mars"`)
	b.run(`$("textarea").focus()`)
	b.text("👍")
	b.enter()
	b.until(`$(".own:last-of-type .big")?.textContent === "👍" && $$(".big").length === 1`)
	b.clean()
}

func TestLightbox(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("pictures, please")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "Here: **two**", "sender": "operator", "operatorName": "Ana", "attachments": []object{attachment("one.png"), attachment("two.png")}})
	})
	b.until(`$$(".picture img").length === 2 && $$(".picture img").every((i) => i.complete) && $(".smile")`)
	b.is(`$(".theirs .text").compareDocumentPosition($(".picture")) & Node.DOCUMENT_POSITION_FOLLOWING`) // the caption comes first
	b.is(`getComputedStyle($(".picture img")).outlineWidth === "1px"`)
	b.run(`$(".picture").focus()`)
	b.run(`$(".picture").click()`)
	b.until(`shown(".lightbox") && $(".lightbox img").naturalWidth === 320 && $(".lightbox .name").textContent === "1 / 2 · one.png"`)
	b.shot("lightbox")
	b.key("ArrowRight", 39)
	b.until(`$(".lightbox img").alt === "two.png"`)
	b.key("ArrowRight", 39)
	b.until(`$(".lightbox img").alt === "one.png"`)
	b.is(`$(".lightbox a").href.endsWith("/files/one.png") && $(".lightbox a").target === "_blank"`)
	b.escape()
	b.until(`!$(".lightbox") && shown(".panel") && root.activeElement === $(".picture")`)
	b.run(`$$(".picture")[1].click()`)
	b.until(`$(".lightbox img").alt === "two.png"`)
	b.click(`.lightbox [aria-label="Close"]`)
	b.until(`!$(".lightbox")`)
	b.clean()
}

// TestVoiceMessage records from Chromium's fake microphone: what is sent is Ogg,
// which messengers take as a voice message, and it plays.
func TestVoiceMessage(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.config["attachments"] = object{"enabled": true, "maxBytes": 1 << 20, "types": []string{}}
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
	b.visit("/")
	b.open()
	b.until(`shown("[aria-label='Record a voice message']") && !shown(".send")`)
	b.run(`$("textarea").focus()`)
	b.text("a")
	b.until(`!shown("[aria-label='Record a voice message']") && shown(".send")`)
	b.run(`($("textarea").select(), document.execCommand("delete"))`)
	b.click("[aria-label='Record a voice message']")
	b.until(`shown(".voice") && !shown(".entry") && $(".wave path").getAttribute("d").length > 100`)
	b.shot("recording")
	b.escape()
	b.until(`!$(".voice") && shown("textarea") && shown(".panel")`)
	b.click("[aria-label='Record a voice message']")
	b.until(`$(".voice .time")?.textContent === "0:02"`)
	b.click(".voice .send")
	b.until(`$(".own.sent .player") && !shown(".own .file") && !shown(".tray")`)
	data := f.uploaded("voice-message.ogg")
	recording, err := voice.Read(bytes.NewReader(data))
	if err != nil || recording.Duration < 1500*time.Millisecond || recording.Duration > 5*time.Second || slices.Max(recording.Waveform) == slices.Min(recording.Waveform) {
		t.Fatalf("%d bytes were sent: %.60q, %+v (%v)", len(data), data, recording, err)
	}
	b.is(`await fetch($(".own .file").href).then((r) => r.arrayBuffer()).then((d) => new OfflineAudioContext(1, 48000, 48000).decodeAudioData(d))
		.then((a) => a.duration > 1.5 && a.duration < 5)`)
	b.click(".player button")
	b.until(`$(".player button").ariaLabel === "Pause" && $(".player .time").textContent.startsWith("0:0")`)
	b.shot("voice")
	b.click(".player button")
	b.until(`$(".player button").ariaLabel === "Play"`)
	b.run(`(navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error("no")))`)
	b.click("[aria-label='Record a voice message']")
	b.until(`$(".notice[role=alert]").textContent.startsWith("The microphone cannot be used.")`)
	b.clean()
}

// TestUndecodableVoice stays a link.
func TestUndecodableVoice(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("hi")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "", "sender": "operator", "operatorName": "Ana", "attachments": []object{attachment("voice.ogg")}})
	})
	b.until(`$(".player") && !shown(".theirs .file")`)
	b.click(".player button")
	b.until(`!$(".player") && shown(".theirs .file")`)
	b.clean()
}

// TestLargePhoto: photos are made smaller before they travel, and show a thumbnail.
func TestLargePhoto(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.config["attachments"] = object{"enabled": true, "maxBytes": 10 << 20, "types": []string{"image/*"}}
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
	b.visit("/")
	b.open()
	b.until(`$(".smile")`)
	b.run(`(async () => {
		const c = document.createElement("canvas"); c.width = 3000; c.height = 1500;
		const g = c.getContext("2d"), d = g.createImageData(3000, 1500);
		for (let i = 0; i < d.data.length; i++) d.data[i] = (i * 7919) % 251;
		g.putImageData(d, 0, 0);
		const make = (type) => new Promise((r) => c.toBlob(r, type, 0.95));
		window.photo = new File([await make("image/jpeg")], "photo.jpg", { type: "image/jpeg" });
		window.small = new File([(await make("image/png")).slice(0, 1000)], "broken.png", { type: "image/png" });
	})()`)
	b.paste(`photo, small`)
	b.until(`$$(".tray li").length === 2 && $$(".tray canvas").length === 1 && !$("progress")`)
	b.shot("thumbnails")
	got, _, err := image.DecodeConfig(bytes.NewReader(f.uploaded("photo.jpg")))
	if err != nil || got.Width != 2048 || got.Height != 1024 {
		t.Errorf("%v, %v", got, err)
	}
	if n := len(f.uploaded("broken.png")); n != 1000 {
		t.Errorf("%d bytes of a file that is none", n)
	}
	b.clean()
}
