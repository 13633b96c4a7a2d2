// One website in the list: what is known of it, and what can be done with it.

import { call } from "../../net/api";
import { choose } from "../../state/sites";
import { attempt } from "../../state/store";
import type { Site } from "../../types";
import { ask } from "../../ui/ask";
import { h } from "../../ui/dom";
import { button } from "../settings";
import { editSite } from "./edit";
import { eraseSite } from "./erase";
import { sitePath, type Acts } from "./types";
import { tr } from "../../ui/texts";

// isFirst: its key and settings are relay's, so that it stays.
const isFirst = (s: Site): boolean => s.id === "main";

function stateOf(s: Site): HTMLElement | false {
  const left = s.conversations === undefined ? "" : ", " + tr("{n} conversations left", { n: s.conversations });
  if (s.erasedAt) return h("span", { class: "tag bad" }, tr("Being erased") + left);
  return !!s.archivedAt && h("span", { class: "tag" }, tr("Archived"));
}

export function siteRow(s: Site, acts: Acts): HTMLElement {
  const dot = h("i", { class: "site-dot" });
  dot.style.background = s.color ?? "";
  const done = async (work: Promise<unknown>, what: string): Promise<void> => {
    await attempt(work, what);
    await acts.changed();
  };
  const declared = s.declaredIn && tr("declared in {declaredIn}", { declaredIn: s.declaredIn });
  const facts = [s.id, s.address, declared].filter(Boolean).join(" · ");
  return h("li", { class: "member", "data-site": s.id }, dot,
    h("div", { class: "member-text" }, h("b", { dir: "auto" }, s.name), " ", stateOf(s), h("div", { class: "hint" }, facts)),
    !s.erasedAt && h("div", { class: "buttons" },
      button(tr("Settings"), () => open(s), tr("Settings of {name}", { name: s.name })),
      button(tr("Snippet"), () => void acts.show(s.id), tr("Snippet of {name}", { name: s.name })),
      button(tr("Edit…"), () => editSite(s, acts), tr("Edit {name}", { name: s.name })),
      h("a", { class: "button small", href: "/api/admin" + sitePath(s) + "/export", download: "",
        "aria-label": tr("Export {name}", { name: s.name }) }, tr("Export")),
      button(tr("New key…"), () => void newKey(s, acts), tr("New public key for {name}", { name: s.name })),
      !isFirst(s) && button(s.archivedAt ? tr("Reopen") : tr("Archive…"), () => void archive(s, done),
        s.archivedAt ? tr("Reopen {name}", { name: s.name }) : tr("Archive {name}", { name: s.name })),
      !isFirst(s) && h("button", { class: "button small danger-text", onclick: () => void eraseSite(s, acts),
        "aria-label": tr("Erase {name}", { name: s.name }) }, tr("Erase…"))));
}

// open goes to the first page of settings that a site has of its own.
function open(s: Site): void {
  choose(s.id);
  location.hash = "#/widget";
}

async function newKey(s: Site, acts: Acts): Promise<void> {
  const question = tr("Make a new public key for {name}? Its pages need the new snippet at once: the chat does not " +
    "work with the old one any more.", { name: s.name });
  if (!(await ask(question, tr("Make a new key")))) return;
  const made = await attempt(call("POST", sitePath(s) + "/key"), tr("No key was made"));
  await acts.changed();
  if (made) await acts.show(s.id);
}

async function archive(s: Site, done: (work: Promise<unknown>, what: string) => Promise<void>): Promise<void> {
  const question = tr("Archive {name}? Visitors find its chat closed; conversations stay and can be read.", { name: s.name });
  if (s.archivedAt || (await ask(question, tr("Archive")))) {
    await done(call("PATCH", sitePath(s), { archived: !s.archivedAt }), tr("Not changed"));
  }
}
