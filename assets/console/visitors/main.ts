// Who is on the website now: open pages, as they say it themselves. Asked for while the page is looked at.

import { call } from "../net/api";
import { section } from "../settings/settings";
import { ofSite } from "../state/sites";
import { changed, state, subscribe } from "../state/store";
import { byId, h, syncChildren } from "../ui/dom";
import { row, type Row, type Visitor } from "./row";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Answer {
  enabled: boolean;
  total: number;
  visitors: Visitor[];
}

const every = 3_000;

const count = h("p", { class: "hint", role: "status" }, tr("Loading…"));
const problem = h("p", { class: "alert", role: "alert", hidden: true });
const list = h("ul", { class: "live-list", "aria-label": tr("Visitors") });
const rows = new Map<string, Row>();

byId("visitors-list").replaceChildren(section(tr("On your website now"), count, problem, list));

// words says how many there are, or why nobody is shown.
function words({ enabled, total, visitors }: Answer): string {
  if (!enabled) {
    return tr("This is switched off. An administrator can switch it on for a website under Settings → Privacy: your team then sees " +
      "which pages are open and can write first. No cookie is set, and nothing is stored.");
  }
  const shown = visitors.length < total ? " " + tr("The {n} who came last are listed.", { n: visitors.length }) : "";
  return total ? plural(total, "{n} visitor.", "{n} visitors.") + shown : tr("Nobody is there at the moment.");
}

// draw keeps the rows of who is still there, and those in which somebody is writing.
function draw(answer: Answer): void {
  const text = words(answer);
  if (count.textContent !== text) count.textContent = text;
  problem.hidden = true;
  const there = new Set(answer.visitors.map((v) => v.id));
  for (const [id, known] of rows) {
    if (there.has(id)) continue;
    if (known.writing()) known.gone();
    else rows.delete(id);
  }
  for (const v of answer.visitors) {
    const known = rows.get(v.id) ?? row(v.id);
    known.show(v);
    rows.set(v.id, known);
  }
  const order = answer.visitors.map((v) => rows.get(v.id)!.node);
  syncChildren(list, [...order, ...[...rows.values()].map((r) => r.node).filter((node) => !order.includes(node))]);
}

let asked = 0;

async function load(): Promise<void> {
  const mine = ++asked;
  try {
    const answer = await call<Answer>("GET", "/live-visitors" + ofSite());
    if (mine === asked) draw(answer);
  } catch (error) {
    if (mine !== asked) return;
    problem.textContent = tr("Not up to date: {why}.", { why: (error as Error).message });
    problem.hidden = false;
  }
}

const look = (): void => void (state.page === "visitors" && !document.hidden && load());

setInterval(look, every);
document.addEventListener("visibilitychange", look);
subscribe((now, before) => {
  if (now.page === "visitors" && changed(now, before, "page", "site")) look();
});
look();
setTimeout(look, every / 3); // other relays answer the first question after it was asked
