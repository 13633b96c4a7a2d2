package assets_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/relay-chat/relay/assets/build/bundle"
)

// A component's life, as far as the guide's examples need React and Vue for it.
var frameworks = map[string]string{
	"react": `
		const kept = [];
		let at = 0, run;
		export function useState(first) {
			const i = at++;
			kept[i] ??= { value: first };
			return [kept[i].value, (value) => { kept[i].value = value; render(); }];
		}
		export function useEffect(effect, needs) {
			const i = at++, old = kept[i];
			if (old && needs.every((n, j) => n === old.needs[j])) return;
			old?.end?.();
			kept[i] = { needs };
			kept[i].end = effect();
		}
		const render = () => { at = 0; window.seen = run(); };
		window.mount = (component) => { run = component; render(); };
		window.unmount = () => kept.forEach((k) => k.end?.());`,
	"vue": `
		let end;
		export const ref = (value) => ({ value }), shallowRef = ref;
		export const onMounted = (fn) => fn(), onUnmounted = (fn) => (end = fn);
		window.mount = (component) => { const { chat, unread } = component();
			window.seen = { get chat() { return chat.value }, get unread() { return unread.value } } };
		window.unmount = () => end();`,
}

// TestExamplesOfTheGuide: the wrappers for React and Vue compile with the package
// and follow the widget for as long as the component lives.
func TestExamplesOfTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("guides/widget.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```tsx?\n(import [^`]* from \"(react|vue)\".*?)```").FindAllSubmatch(guide, -1)
	if len(found) != 2 {
		t.Fatalf("%d examples", len(found))
	}
	for _, m := range found {
		t.Run(string(m[2]), func(t *testing.T) {
			t.Parallel()
			code, err := bundle.Example(".", string(m[1]), frameworks)
			if err != nil {
				t.Fatal(err)
			}
			f := newFake(t)
			b := newTab(t, newSite(t, f.url(), ""))
			b.visit("/")
			b.run(`(() => { ` + string(code) + `; mount(() => example.useRelayChat({ apiKey: "pk_test", apiUrl: "` + f.url() + `" }, { id: "u1", name: "Alice" })) })()`)
			b.until(`seen.chat === RelayChat && seen.unread === 0`)
			b.run(`RelayChat.sendMessage("hi")`)
			b.eventually("the stream", func() bool { return f.streams() == 1 })
			f.reply(t, "one")
			b.until(`window.seen.unread === 1`)
			b.run(`unmount()`)
			f.reply(t, "two")
			b.until(`RelayChat.unread === 2`)
			b.is(`window.seen.unread === 1`)
			b.clean()
		})
	}
}
