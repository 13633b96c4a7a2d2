// What belongs to the open conversation because it is merged with others: their messages, and the way to the one that goes on.

import { call, sessionPath } from "../net/api";
import { ask } from "../ui/ask";
import { byId, h } from "../ui/dom";
import { visitorName } from "../ui/format";
import { attempt, current, set } from "../state/store";
import { saidIn, saidList } from "./said";
import type { Session } from "../types";
import { tr } from "../ui/texts";

const box = h("div", { class: "merged", id: "merged", hidden: true });
byId("compose").before(box);

let drawn = "";

// showMerged draws anew only what changed, so that what somebody has opened stays open.
export function showMerged(s: Session | undefined): void {
  const on = s?.goesOnIn;
  byId("compose").hidden = byId("thread-verb").hidden = !!on;
  box.hidden = !s?.mergedWith;
  if (on) byId("status-line").hidden = true; // the next message of the team reopens nothing
  const now = JSON.stringify([s?.id, on, s?.mergedWith]);
  if (now === drawn) return;
  drawn = now;
  box.replaceChildren();
  if (s?.mergedWith) box.append(...parts(s, s.mergedWith));
}

function parts(s: Session, others: string[]): HTMLElement[] {
  const inside = h("div", { class: "merged-said", tabindex: "0", role: "region",
    "aria-label": tr("Other conversations of the same person") });
  const links = h("div", { class: "merged-line" },
    h("button", { class: "button small", type: "button", id: "part", onclick: () => void part(s) }, tr("Not the same person…")));
  const more = h("details", { ontoggle: () => void (more.open && fill(inside, links, others)) },
    h("summary", {}, tr("Other conversations of the same person")), inside, links);
  if (!s.goesOnIn) return [more];
  const where = h("span", {}, tr("The visitor goes on in another conversation of the same person."));
  const way = h("a", { class: "button small main", href: "#" + sessionPath(s.goesOnIn) }, tr("Open that one"));
  return [more, h("div", { class: "merged-line" }, where, way)];
}

// fill shows what was said in the others, by time, and the ways there.
async function fill(inside: HTMLElement, links: HTMLElement, others: string[]): Promise<void> {
  const of = new Map<string, Session>();
  const all = await Promise.all(others.map(async (id) => {
    const found = await call<Session>("GET", sessionPath(id)).catch(() => undefined);
    if (found) of.set(id, found);
    return saidIn(id);
  }));
  inside.replaceChildren(saidList(all.flat().sort((a, b) => a.timestamp.localeCompare(b.timestamp)), of));
  for (const old of links.querySelectorAll("a")) old.remove();
  links.prepend(...[...of].map(([id, s]) =>
    h("a", { class: "button small", href: "#" + sessionPath(id) }, tr("Open {name}", { name: visitorName(s) }))));
}

async function part(s: Session): Promise<void> {
  const question =
    tr("Separate this conversation from the others? It stands on its own again, and waits again if its last message has no answer.");
  if (!(await ask(question, tr("Separate")))) return;
  const done = await attempt(call("DELETE", sessionPath(s.id) + "/merge"), tr("Could not change"));
  if (done && current()?.id === s.id) set({ answer: tr("Separated. Each conversation stands on its own again.") });
}
