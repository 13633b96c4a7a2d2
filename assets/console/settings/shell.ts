// The frame around the pages of settings: each is made when it is first opened, and one bar saves its changes.

import { ask } from "../ui/ask";
import { byId, h } from "../ui/dom";
import { guardLeaving } from "../shell/nav";
import { several } from "../state/sites";
import { changed as differs, state, subscribe } from "../state/store";
import { levelLine } from "./level";
import type { Page } from "./page";
import { button, load } from "./settings";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

const made = new Map<string, Page>();
let pages: Record<string, () => Page> = {};
let name = "";
let page: Page | undefined;

const failed = h("p", { class: "alert", role: "alert", hidden: true });
const level = levelLine();
const count = h("span", { role: "status", id: "save-count" });
const discard = h("button", { class: "button", id: "save-discard", onclick: () => discardAll() }, tr("Discard"));
const saving = h("button", { class: "button main", id: "save", onclick: () => void saveAll() }, tr("Save"));
const bar = h("div", { class: "save-bar", id: "save-bar", role: "group", "aria-label": tr("Changes"), hidden: true }, count, discard,
  saving);

const changed = (): number => Object.keys(page?.form?.changes() ?? {}).length;

// A success message disappears soon, so that the bar covers nothing.
const saidShown = 4_000;
let saidTimer = 0;

function drawBar(said = ""): void {
  const n = changed();
  clearTimeout(saidTimer);
  if (said) saidTimer = setTimeout(drawBar, saidShown);
  const text = n ? plural(n, "{n} change", "{n} changes") : said;
  bar.hidden = !text;
  if (count.textContent !== text) count.textContent = text;
  discard.hidden = saving.hidden = !n;
}

function discardAll(): void {
  page?.form?.discard();
  drawBar();
  byId(name + "-title").focus();
}

async function saveAll(): Promise<void> {
  if (saving.ariaDisabled === "true") return;
  saving.ariaDisabled = "true";
  const done = await page?.form?.save();
  saving.ariaDisabled = null;
  drawBar(done ? tr("Saved.") : "");
  keepPlace();
}

// keepPlace puts the focus on the heading when its button went with what it did. The page stays where it is scrolled to.
export function keepPlace(): void {
  const held = document.activeElement;
  if (held === document.body || !held?.checkVisibility()) byId(name + "-title").focus({ preventScroll: true });
}

// open shows the page that the console is at, and leaves the one before.
function open(next: string): void {
  if (next === name) return;
  page?.left?.();
  name = next;
  page = undefined;
  const make = pages[name];
  if (!make) return;
  page = made.get(name) ?? make();
  made.set(name, page);
  byId(name + "-list").replaceChildren(level.node, failed, page.node, bar);
  byId(name).scrollTop = 0;
  drawBar();
  page.opened?.();
  void refresh();
}

// refresh reads what may have changed elsewhere. What is being typed stays.
export async function refresh(): Promise<void> {
  const shown = page;
  if (!shown) return;
  const { site } = state;
  try {
    const settings = await load();
    if (site !== state.site) return; // another one was chosen meanwhile
    level.draw(name, shown.form);
    shown.form?.show(settings);
    await shown.show?.(settings);
    failed.hidden = true;
  } catch (error) {
    failed.textContent = tr("The settings could not be loaded: {message}.", { message: (error as Error).message }) + " ";
    failed.append(button(tr("Try again"), () => void retry()));
    failed.hidden = false;
  }
  if (changed()) drawBar();
}

// retry opens the page again. The focus stays with what it showed.
async function retry(): Promise<void> {
  page?.left?.();
  page?.opened?.();
  await refresh();
  (failed.hidden ? byId(name + "-title") : failed.querySelector("button"))?.focus();
}

// asksFirst stops going elsewhere while changes would be lost, and asks.
function asksFirst(e: HashChangeEvent): boolean {
  if (!changed() || location.hash.split("/")[1] === name) return false;
  const wanted = location.hash;
  history.replaceState(null, "", e.oldURL);
  const title = byId(name + "-title").textContent;
  void ask(tr("{title} has changes that are not saved. Discard them?", { title }), tr("Discard")).then((yes) => {
    if (!yes) return;
    page?.form?.discard();
    location.hash = wanted;
  });
  return true;
}

// asksToSwitch stops showing another website while changes would be lost, and asks.
function asksToSwitch(e: Event): void {
  if (!changed()) return;
  e.preventDefault();
  void ask(tr("Changes on this page are not saved. Discard them?"), tr("Discard")).then((yes) => {
    if (!yes) return;
    discardAll();
    (e as CustomEvent<() => void>).detail();
  });
}

function keys(e: KeyboardEvent): void {
  if (!page || e.key !== "s" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey) return;
  e.preventDefault();
  if (changed()) void saveAll();
}

// start takes the pages over, by the names that they have in nav.ts.
export function start(all: Record<string, () => Page>): void {
  pages = all;
  subscribe((now, before) => {
    open(now.page);
    if (differs(now, before, "configs", "site") || several(now) !== several(before)) void refresh();
  });
  for (const type of ["input", "change"]) document.addEventListener(type, (e) => page?.node.contains(e.target as Node) && drawBar());
  guardLeaving(asksFirst);
  document.addEventListener("relay-switch", asksToSwitch);
  addEventListener("beforeunload", (e) => changed() && e.preventDefault());
  addEventListener("keydown", keys);
  open(state.page);
}
