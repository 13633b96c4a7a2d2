package assets_test

import (
	"fmt"
	"net/http"
	"testing"
)

// serveFace answers as relay does: a picture for everybody it knows.
func serveFace(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("id") == "nobody" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="#b35900"/>`+
		`<circle cx="32" cy="26" r="12" fill="#ffe8cc"/><circle cx="32" cy="64" r="22" fill="#ffe8cc"/></svg>`)
}

// TestFaces: who answers has a face beside the last of several messages, in the
// header and in the preview; a letter stands for who has none that can be loaded.
func TestFaces(t *testing.T) {
	f, b := ready(t, "")
	f.mu.Lock()
	f.config["operatorAvatar"] = f.url() + "/files/team.png"
	f.mu.Unlock()
	say := func(text, name, id string) {
		f.do(t, func(s *fakeSession) {
			f.add(s, object{"content": text, "sender": "operator", "operatorName": name, "operatorId": id})
		})
		b.until(fmt.Sprintf(`rows().at(-1) === %q`, text))
	}
	b.open()
	b.until(`$(".head img")?.src.endsWith("/files/team.png") && !$(".line img")`)
	b.write("hi")
	b.until(`$(".own.sent") && $(".line img")?.src.endsWith("/files/team.png")`) // of the greeting
	say("one", "Bea", "bea")
	say("two", "Bea", "bea")
	b.until(`$$(".line img").length === 2 && $$(".theirs").at(-1).querySelector("img").src.endsWith("/faces/bea")`)
	b.until(`$(".head img").src.endsWith("/faces/bea") && $$("img").every((i) => i.naturalWidth > 0)`)
	say("three", "Cem", "nobody")
	say("four", "Dora", "")
	b.until(`$$(".line .avatar").map((n) => n.textContent).slice(-2).join() === "C,D" && $(".head .avatar").textContent === "D"`)
	b.is(`$$(".line .avatar").every((n) => n.ariaHidden === "true" && n.getBoundingClientRect().right < n.nextSibling.getBoundingClientRect().left)`)
	b.run(`RelayChat.close()`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "five", "sender": "operator", "operatorName": "Bea", "operatorId": "bea"})
	})
	b.until(`$(".preview img")?.src.endsWith("/faces/bea")`)
}
