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

// isFirst: its key and settings are relay's, so that it stays.
const isFirst = (s: Site): boolean => s.id === "main";

function stateOf(s: Site): HTMLElement | false {
  const left = s.conversations === undefined ? "" : ", " + s.conversations + " conversations left";
  if (s.erasedAt) return h("span", { class: "tag bad" }, "Being erased" + left);
  return !!s.archivedAt && h("span", { class: "tag" }, "Archived");
}

export function siteRow(s: Site, acts: Acts): HTMLElement {
  const dot = h("i", { class: "site-dot" });
  dot.style.background = s.color ?? "";
  const done = async (work: Promise<unknown>, what: string): Promise<void> => {
    await attempt(work, what);
    await acts.changed();
  };
  const facts = [s.id, s.address, s.declaredIn && "declared in " + s.declaredIn].filter(Boolean).join(" · ");
  return h("li", { class: "member", "data-site": s.id }, dot,
    h("div", { class: "member-text" }, h("b", { dir: "auto" }, s.name), " ", stateOf(s), h("div", { class: "hint" }, facts)),
    !s.erasedAt && h("div", { class: "buttons" },
      button("Settings", () => open(s), "Settings of " + s.name),
      button("Snippet", () => void acts.show(s.id), "Snippet of " + s.name),
      button("Edit…", () => editSite(s, acts), "Edit " + s.name),
      h("a", { class: "button small", href: "/api/admin" + sitePath(s) + "/export", download: "",
        "aria-label": "Export " + s.name }, "Export"),
      button("New key…", () => void newKey(s, acts), "New public key for " + s.name),
      !isFirst(s) && button(s.archivedAt ? "Reopen" : "Archive…", () => void archive(s, done),
        (s.archivedAt ? "Reopen " : "Archive ") + s.name),
      !isFirst(s) && h("button", { class: "button small danger-text", onclick: () => void eraseSite(s, acts),
        "aria-label": "Erase " + s.name }, "Erase…")));
}

// open goes to the first page of settings that a site has of its own.
function open(s: Site): void {
  choose(s.id);
  location.hash = "#/widget";
}

async function newKey(s: Site, acts: Acts): Promise<void> {
  const question = "Make a new public key for " + s.name +
    "? Its pages need the new snippet at once: the chat does not work with the old one any more.";
  if (!(await ask(question, "Make a new key"))) return;
  const made = await attempt(call("POST", sitePath(s) + "/key"), "No key was made");
  await acts.changed();
  if (made) await acts.show(s.id);
}

async function archive(s: Site, done: (work: Promise<unknown>, what: string) => Promise<void>): Promise<void> {
  const question = "Archive " + s.name + "? Visitors find its chat closed; conversations stay and can be read.";
  if (s.archivedAt || (await ask(question, "Archive"))) {
    await done(call("PATCH", sitePath(s), { archived: !s.archivedAt }), "Not changed");
  }
}
