package assets_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets/build/bundle"
)

// mounts show a component of each framework that uses the guide's wrapper.
var mounts = map[string]string{
	"react": `
		import { createElement, StrictMode } from "react";
		import { createRoot } from "react-dom/client";
		export function mount(options, identity) {
			const App = () => ((window.seen = useRelayChat(options, identity)), null);
			const root = createRoot(document.body.appendChild(document.createElement("div")));
			root.render(createElement(StrictMode, null, createElement(App)));
			window.unmount = () => root.unmount();
		}`,
	"vue": `
		import { createApp } from "vue/dist/vue.runtime.esm-browser.js";
		export function mount(options) {
			const app = createApp({ setup() {
				const { chat, unread } = useRelayChat(options);
				window.seen = { get chat() { return chat.value }, get unread() { return unread.value } };
				return () => null;
			} });
			app.mount(document.body.appendChild(document.createElement("div")));
			window.unmount = () => app.unmount();
		}`,
}

// calls are what an application writes in TypeScript.
const calls = `
import { loadRelayChat, type RelayChat } from "relay-chat";
window.RelayChat?.("identify", { id: "42", plan: "gold", userHash: "00" });
window.RelayChat?.("open");
const stop: (() => void) | undefined = window.RelayChat?.("on", "unread", (count: number) => count.toFixed());
window.RelayChat?.sendMessage("hi").then((message) => message.content.length);
loadRelayChat({ apiUrl: "https://chat.example.com", apiKey: "pk_1" }).then((chat: RelayChat) => chat.on("message", (m) => m.sender));
// @ts-expect-error: an identity is an object
window.RelayChat?.("identify", "42");
// @ts-expect-error: there is no such method
window.RelayChat?.("fly");
export { stop };
`

// application makes a folder with the packages of an application: React, Vue, relay-chat.
func application(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(cache, "relay", "frameworks-1", "node_modules")
	packages, err := os.ReadDir(installed)
	if err != nil {
		t.Fatal("these tests need React and Vue: run them by `make test`, which installs them: ", err)
	}
	folder := t.TempDir()
	modules := filepath.Join(folder, "node_modules")
	ours, err := filepath.Abs("npm")
	err = errors.Join(err, os.Mkdir(modules, 0o755), os.Symlink(ours, filepath.Join(modules, "relay-chat")))
	for _, p := range packages {
		err = errors.Join(err, os.Symlink(filepath.Join(installed, p.Name()), filepath.Join(modules, p.Name())))
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// examples are the guide's wrappers by framework.
func examples(t *testing.T) map[string]string {
	t.Helper()
	guide, err := os.ReadFile("guides/widget.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```tsx?\n(import [^`]* from \"(react|vue)\".*?)```").FindAllStringSubmatch(string(guide), -1) {
		found[m[2]] = m[1]
	}
	if len(found) != 2 {
		t.Fatalf("%d examples", len(found))
	}
	return found
}

// TestExamplesOfTheGuide: the wrappers for React and Vue follow the widget for as long as
// the component lives; React's strict mode mounts each twice.
func TestExamplesOfTheGuide(t *testing.T) {
	t.Parallel()
	for framework, example := range examples(t) {
		t.Run(framework, func(t *testing.T) {
			t.Parallel()
			code, err := bundle.Example(application(t), strings.ReplaceAll(example, `from "vue"`, `from "vue/dist/vue.runtime.esm-browser.js"`)+mounts[framework])
			if err != nil {
				t.Fatal(err)
			}
			f := newFake(t)
			b := newTab(t, newSite(t, f.url(), ""))
			b.visit("/")
			b.run(`(() => { ` + string(code) + `; example.mount({ apiKey: "pk_test", apiUrl: "` + f.url() + `" }, { id: "u1", name: "Alice" }) })()`)
			b.until(`window.seen?.chat === window.RelayChat && seen.chat.version && seen.unread === 0`)
			b.run(`RelayChat.sendMessage("hi")`)
			b.eventually("the stream", func() bool { return f.streams() == 1 })
			f.reply(t, "one")
			b.until(`window.seen.unread === 1`)
			b.run(`unmount()`)
			f.reply(t, "two")
			b.until(`RelayChat.unread === 2`)
			b.is(`window.seen.unread === 1`)
		})
	}
}

// TestExamplesHaveTheRightTypes: TypeScript accepts the guide's wrappers and an
// application's calls, with the package as an application finds it.
func TestExamplesHaveTheRightTypes(t *testing.T) {
	t.Parallel()
	folder := application(t)
	files := map[string]string{"calls.ts": calls}
	for framework, example := range examples(t) {
		files[framework+".tsx"] = example
	}
	var names []string
	for name, code := range files {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	tsc := filepath.Join(cache, "relay", "typescript-5.9.3", "bin", "tsc")
	for _, resolution := range []string{"--module nodenext", "--module esnext --moduleResolution bundler", "--module commonjs --moduleResolution node10"} {
		args := strings.Fields("--noEmit --strict --skipLibCheck --target es2022 --jsx react-jsx --types react " + resolution)
		cmd := exec.Command("node", append(append([]string{tsc}, args...), names...)...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", resolution, err, out)
		}
	}
}
