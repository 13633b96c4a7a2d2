package assets_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

func TestAttachments(t *testing.T) {
	_, b := ready(t, "")
	dir := t.TempDir()
	for name, text := range map[string]string{"notes.txt": "some notes", "drawing.svg": "<svg/>"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.open()
	b.choose(filepath.Join(dir, "notes.txt"), filepath.Join(dir, "drawing.svg"))
	b.until(`$$(".tray li").length === 2 && $(".tray .bad").textContent.includes("not accepted")`)
	b.is(`$(".send").ariaDisabled === "true"`)
	b.run(`$(".tray .name").textContent = "n".repeat(200)`)
	b.is(`$$(".tray button").every((x) => x.getBoundingClientRect().right < $(".tray").getBoundingClientRect().right)`)
	b.is(`$(".tray .bad .why").offsetTop >= $(".tray .bad .name").offsetTop + $(".tray .bad .name").offsetHeight`)
	b.run(`$("textarea").focus()`)
	b.enter()
	b.until(`$(".notice[role=alert]").textContent === "First remove the files that cannot be sent."`)
	b.click(`.tray [aria-label="Remove drawing.svg"]`)
	b.until(`$$(".tray li").length === 1 && !$("progress") && !$(".send").ariaDisabled`)
	b.shot("tray")
	b.write("here")
	b.until(`$(".own.sent .file")?.download === "notes.txt" && !shown(".tray")`)
	// Dropped and pasted files go the same way.
	b.run(`(() => { const d = new DataTransfer(); d.items.add(new File(["x"], "shot.png", { type: "image/png" }));
		$(".panel").dispatchEvent(new DragEvent("dragover", { dataTransfer: d, bubbles: true, cancelable: true }));
		$(".panel").dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true })); })()`)
	b.until(`$$(".tray li").length === 1 && !$("progress")`)
	b.run(`(() => { const d = new DataTransfer(); d.items.add(new File(["x"], "pasted.png", { type: "image/png" }));
		$("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true, cancelable: true })); })()`)
	b.until(`$$(".tray li").length === 2 && !$("progress")`)
	b.enter()
	b.until(`$$(".own img").length === 2 && $$(".own img").every((i) => i.complete && i.naturalWidth === 320)`)
	b.shot("pictures")
	b.clean()
}

func TestUploadProgressAndCancel(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	hold := make(chan struct{})
	f.mu.Lock()
	f.hold["POST attachments"] = hold
	f.mu.Unlock()
	defer close(hold)
	b.run(`(() => { const d = new DataTransfer(); d.items.add(new File(["x"], "slow.png", { type: "image/png" }));
		$("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true, cancelable: true })); })()`)
	b.until(`shown("progress") && $(".send").ariaDisabled === "true"`)
	b.shot("progress")
	b.click(`.tray [aria-label="Cancel uploading slow.png"]`)
	b.until(`!shown(".tray")`)
	big := `new File([new Uint8Array(2 << 20)], "big.png", { type: "image/png" })`
	b.run(`(() => { const d = new DataTransfer(); d.items.add(` + big + `);
		$("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true, cancelable: true })); })()`)
	b.until(`$(".tray .bad").textContent.includes("Larger than 1 MB")`)
}

// choose gives files to the picker, as the browser's dialog would.
func (b *tab) choose(paths ...string) {
	b.Helper()
	expr := `document.querySelector("relay-chat").shadowRoot.querySelector("input[type=file]")`
	node, err := chromedp.Run(b.ctx, chromedp.Evaluate[*runtime.RemoteObject](expr))
	if err != nil {
		b.Fatal(err)
	}
	_, err = chromedp.Call(b.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: node.ObjectID})
	if err != nil {
		b.Fatal(err)
	}
}
