// The switcher of websites in the bar: which one the console shows. Loaded after the inbox, and seen with several sites only.

import { call } from "../net/api";
import { count, reload, show } from "../net/load";
import { choose, several } from "../state/sites";
import { changed, set, state, subscribe } from "../state/store";
import type { State, View } from "../state/store";
import type { Site } from "../types";
import { byId, h } from "../ui/dom";
import { tr } from "../ui/texts";

const select = h("select", { id: "site", "aria-keyshortcuts": "g s", onchange: () => void pick(select.value) });
const dot = h("i", { class: "site-dot" });
const label = h("label", { class: "site-switch", hidden: true }, dot, h("span", { class: "sr" }, tr("Website")), select);

// pick shows another site, unless a page keeps it from that: it then asks, and goes on by itself.
async function pick(site: string): Promise<void> {
  const go = async (): Promise<void> => {
    choose(site);
    show({ site });
    count(0);
    if (state.query) (await import("../search/main")).find(state.query);
  };
  if (document.dispatchEvent(new CustomEvent("relay-switch", { cancelable: true, detail: go }))) await go();
  else draw(state);
}

const withCount = (name: string, n = 0): string => (n ? name + " (" + n + ")" : name);

function draw({ sites, site, counts }: State): void {
  label.hidden = !several();
  const waiting = counts?.sites ?? {};
  const all = Object.values(waiting).reduce((sum, n) => sum + n, 0);
  const options = [["", withCount(tr("All websites"), all)] as const,
    ...sites.map((s) => [s.id, withCount(s.name, waiting[s.id])] as const)];
  const drawn = [...select.options].map((o) => o.value + "\n" + o.text).join("\n");
  if (drawn !== options.map(([id, text]) => id + "\n" + text).join("\n")) {
    select.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
  }
  select.value = site;
  dot.hidden = !site;
  dot.style.background = sites.find((s) => s.id === site)?.color ?? "";
}

async function load(): Promise<void> {
  set({ sites: (await call<{ sites: Site[] }>("GET", "/sites")).sites });
  if (several() && !state.counts?.sites) count(0);
}

const read = (): void => void load().catch(() => {}); // the next change or connection tries again

// The keys g and s, one after the other, lead to the switcher.
let led = false;

function keys(e: KeyboardEvent): void {
  const typing = (e.target as HTMLElement).matches("input, textarea, select, [contenteditable]");
  if (typing || !several() || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
  if (led && e.key === "s") {
    e.preventDefault();
    select.focus();
    try {
      select.showPicker();
    } catch {
      // It has the focus: the arrow keys choose.
    }
  }
  led = e.key === "g";
}

// settle follows what became of the sites: a chosen one that is gone gives way to all, and what is known of the
// conversations of a single one does not say whose they are.
function settle({ sites, site }: State, before: State): void {
  if (site && (!several() || !sites.some((s) => s.id === site))) {
    choose("");
    show({ site: "" });
    count(0);
  } else if (before.sites.length === 1 && several()) {
    void reload();
  }
}

const view: View = (now, before) => {
  if (changed(now, before, "sites", "site", "counts")) draw(now);
  if (now.sites !== before.sites) settle(now, before);
  if (now.configs !== before.configs) read();
};

byId("here").before(label);
subscribe(view);
addEventListener("keydown", keys);
read();
