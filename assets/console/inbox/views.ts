// A person's saved views: lists of conversations with a name, above the filters. Loaded after the inbox.

import { h, byId, iconButton, syncChildren } from "../ui/dom";
import { mark, refused } from "../ui/fields";
import { keepFocus } from "../ui/focus";
import { show } from "../net/load";
import { choose, load, onPreferences } from "../notify/preferences";
import type { SavedView } from "../notify/preferences";
import { choose as chooseSite, several } from "../state/sites";
import { attempt, changed, set, state, subscribe } from "../state/store";
import type { State, View } from "../state/store";
import { tr } from "../ui/texts";

let views: readonly SavedView[] = [];

const row = h("div", { class: "narrow views", role: "group", "aria-label": tr("Saved views"), hidden: true });
const saver = h("button", { class: "chip-button", type: "button", id: "view-save", hidden: true, onclick: () => open(true) },
  tr("Save view"));
const manage = h("button", { class: "chip-button", type: "button", id: "view-edit", onclick: () => open(false) }, tr("Edit…"));

// shown is what the list shows at the moment, as a view.
function shown({ filter, whose, tag, site }: State): Omit<SavedView, "name"> {
  return { status: filter || "all", ...(whose && { assignee: whose }), ...(tag && { tag }), ...(site && { site }) };
}

const same = (a: Omit<SavedView, "name">, b: Omit<SavedView, "name">): boolean =>
  a.status === b.status && (["assignee", "tag", "site"] as const).every((part) => (a[part] ?? "") === (b[part] ?? ""));

// apply shows a view. A website that is gone, or not one's own any more, stands for all.
function apply(v: SavedView): void {
  const site = several() && state.sites.some((s) => s.id === v.site) ? v.site! : "";
  if (site !== state.site) chooseSite(site);
  set({ query: "" });
  show({ filter: v.status === "all" ? "" : v.status, whose: v.assignee ?? "", tag: v.tag ?? "", site, query: "" });
}

const chips = new Map<SavedView, HTMLElement>();

function chip(v: SavedView): HTMLElement {
  const known = chips.get(v);
  if (known) return known;
  const made = h("button", { class: "chip-button", type: "button", onclick: () => apply(v) }, v.name);
  chips.set(v, made);
  return made;
}

function draw(now: State): void {
  const current = shown(now);
  const particular = !!(now.whose || now.tag || now.filter === "snoozed");
  keepFocus(() => {
    for (const v of views) chip(v).setAttribute("aria-pressed", String(same(v, current)));
    saver.hidden = !particular || views.some((v) => same(v, current));
    manage.hidden = !views.length;
    row.hidden = !!now.query || (saver.hidden && !views.length);
    syncChildren(row, [...views.map(chip), saver, manage]);
  }, now.selected);
}

// store keeps the views. What is wrong goes to the form's field.
async function store(next: readonly SavedView[], refusedBy?: (error: Error) => void): Promise<boolean> {
  const work = choose({ views: [...next] }).then(() => true);
  return (await (refusedBy ? work.catch((error: Error) => void refusedBy(error)) : attempt(work, tr("Not saved")))) === true;
}

const list = h("ol", { class: "view-list" });
const field = h("input", { class: "input", id: "view-name", maxlength: "40", autocomplete: "off",
  placeholder: tr("Urgent, unassigned…") });
const form = h("form", { class: "view-form", onsubmit: save },
  h("label", { for: "view-name" }, tr("Name of the list that is shown")), field,
  h("button", { class: "button main", type: "submit" }, tr("Save view")));
const dialog: HTMLDialogElement = h("dialog", { class: "ask views-dialog", "aria-labelledby": "view-title" },
  h("div", { class: "help-head" }, h("h2", { id: "view-title" }, tr("Saved views")),
    iconButton("cross", tr("Close"), () => dialog.close())),
  form, list);
document.body.append(dialog);

function wrong(text: string): void {
  mark(field, text);
  field.focus();
}

async function save(e: Event): Promise<void> {
  e.preventDefault();
  const name = field.value.trim();
  if (!name) return wrong(tr("Enter a name."));
  if (views.some((v) => v.name.toLowerCase() === name.toLowerCase())) return wrong(tr("Another view has this name."));
  if (await store([...views, { name, ...shown(state) }], (error) => wrong(refused(error, {})))) dialog.close();
}

// moved is the list with one view at another place.
function moved(at: number, by: number): SavedView[] {
  const next = [...views];
  next.splice(at + by, 0, ...next.splice(at, 1));
  return next;
}

function drawList(): void {
  const held = document.activeElement?.getAttribute("aria-label");
  list.replaceChildren(...views.map((v, i) => h("li", {}, h("span", { dir: "auto" }, v.name),
    i > 0 && iconButton("send", tr("Move {name} up", { name: v.name }), () => store(moved(i, -1))),
    i < views.length - 1 && iconButton("down", tr("Move {name} down", { name: v.name }), () => store(moved(i, 1))),
    iconButton("trash", tr("Delete {name}", { name: v.name }), () => store(views.filter((other) => other !== v))))));
  if (!dialog.open || !held) return;
  const again = [...list.querySelectorAll("button")].find((b) => b.ariaLabel === held);
  (again ?? list.querySelector("button") ?? dialog.querySelector<HTMLElement>(".help-head button"))?.focus();
}

function open(saving: boolean): void {
  form.hidden = !saving;
  field.value = "";
  mark(field, "");
  drawList();
  dialog.showModal();
  if (saving) field.focus();
}

const view: View = (now, before) => {
  if (changed(now, before, "filter", "whose", "tag", "site", "query")) draw(now);
};

byId("narrow").after(row);
subscribe(view);
onPreferences((p) => {
  views = p.views ?? [];
  chips.clear();
  draw(state);
  drawList();
});
load().catch(() => {}); // without them there is the list as it is
