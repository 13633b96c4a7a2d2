// The page of statistics, in a file of its own that the console loads when the page is opened.

import { call } from "../net/api";
import { byId, h } from "../ui/dom";
import { agoTime, platformName } from "../ui/format";
import { ofSite } from "../state/sites";
import { changed, subscribe } from "../state/store";
import { change, count, duration, iso, score, share } from "./numbers";
import type { Group, Statistics } from "./types";
import { tr } from "../ui/texts";

const ranges = [
  ["7", tr("Last 7 days")], ["30", tr("Last 30 days")], ["90", tr("Last 90 days")], ["365", tr("Last 365 days")], ["", tr("From – to")],
] as const;

const range = h("select", { class: "input", id: "statistics-range", "aria-label": tr("Period"), onchange: () => choose() },
  ...ranges.map(([value, label]) => h("option", { value }, label)));
const from = h("input", { class: "input", type: "date", "aria-label": tr("From"), required: true, onchange: () => void load() });
const to = h("input", { class: "input", type: "date", "aria-label": tr("To"), required: true, onchange: () => void load() });
const dates = h("span", { class: "dates", hidden: true }, from, " – ", to);
const csv = h("span", { class: "downloads" });
const status = h("p", { class: "hint", role: "status" });
const problem = h("p", { class: "alert", role: "alert", hidden: true });
const again = h("button", { class: "button small", onclick: async () => {
  await load();
  (problem.hidden ? range : again).focus();
} }, tr("Try again"));
const body = h("div", { id: "statistics-body" });

function choose(): void {
  const days = Number(range.value);
  dates.hidden = !!days;
  if (days) {
    from.value = iso(1 - days);
    to.value = iso(0);
  }
  void load();
}

let asked = 0;

// load shows the range that was asked for last.
async function load(): Promise<void> {
  if (!from.value || !to.value) return;
  const mine = ++asked;
  const query = ofSite({ from: from.value, to: to.value });
  status.textContent = tr("Counting…");
  problem.hidden = true;
  try {
    const s = await call<Statistics>("GET", "/statistics" + query);
    if (mine !== asked) return;
    body.replaceChildren(...draw(s));
    csv.replaceChildren(tr("Download:") + " ", ...["days", "people", "channels", "ratings"].flatMap((table, i) =>
      [i ? ", " : "", h("a", { href: "/api/admin/statistics.csv" + query + "&table=" + table, download: "" }, table + ".csv")]));
    status.textContent = tr("Days and hours are in {zone}. “Before” is the same number of days just before these.",
      { zone: s.timezone.replaceAll("_", " ") });
  } catch (error) {
    if (mine !== asked) return;
    status.textContent = "";
    problem.replaceChildren(tr("Not counted: {message}.", { message: (error as Error).message }) + " ", again);
    problem.hidden = false;
  }
}

// tile is a number with what it means and how it was before.
function tile(label: string, value: Node | string, about: string, before = ""): HTMLElement {
  return h("div", { class: "tile" }, h("dt", {}, label), h("dd", {}, h("b", {}, value), before && h("span", { class: "before" }, before)),
    h("dd", { class: "hint" }, about));
}

function tiles({ totals: t, previous: p, waiting }: Statistics): HTMLElement {
  const open = waiting.count ? h("a", { href: "#/" }, count(waiting.count)) : "0";
  return h("dl", { class: "tiles" },
    tile(tr("Waiting now"), open, waiting.count
      ? tr("Open conversations in which the visitor has no answer yet, as in the inbox.")
      : tr("Nobody is waiting for an answer.")),
    tile(tr("Conversations"), count(t.conversations),
      tr("Started in this period; {answered} of them answered by a person.", { answered: count(t.answered) }),
      change(t.conversations, p.conversations)),
    tile(tr("First response"), duration(t.firstResponseMedianSeconds),
      t.answered
        ? tr("Median; 90 % were answered within {time}.", { time: duration(t.firstResponseP90Seconds) })
        : tr("How long visitors waited for a person. Nobody has been answered yet."),
      change(t.firstResponseMedianSeconds, p.firstResponseMedianSeconds)),
    tile(tr("Time to resolution"), duration(t.resolutionMedianSeconds),
      t.closed
        ? tr("From the first message to closing. Median of {closed} closed conversations; 90 % took at most " +
          "{resolutionP90Seconds}.", { closed: count(t.closed), resolutionP90Seconds: duration(t.resolutionP90Seconds) })
        : tr("From the first message to closing. None was closed in this period."),
      change(t.resolutionMedianSeconds, p.resolutionMedianSeconds)),
    tile(tr("Answered by the AI alone"), share(t.aiShare),
      tr("Share of answered conversations without a person ({aiOnlyConversations}). Handed over by the AI " +
        "itself: {aiHandBacks}.", { aiOnlyConversations: count(t.aiOnlyConversations), aiHandBacks: count(t.aiHandBacks) }),
          change(t.aiShare, p.aiShare)),
    tile(tr("Rating"), score(t.averageScore), tr("Average rating; number of ratings: {ratings}.", { ratings: count(t.ratings) }),
      change(t.averageScore, p.averageScore)));
}

// drawing puts a chart of the server into the page, as elements and not as text.
function drawing(svg: string): Node {
  return document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
}

function table(head: string[], rows: (Node | string)[][]): HTMLElement {
  return h("div", { class: "table-scroll", tabindex: "0", role: "region",
    "aria-label": tr("Table: {columns}", { columns: head.slice(0, 3).join(", ") }) },
    h("table", {},
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {},
        ...rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((text) => h("td", {}, text)))))));
}

let serial = 0;

function panel(title: string, ...children: Node[]): HTMLElement {
  const id = "statistics-" + ++serial;
  return h("section", { class: "panel", "aria-labelledby": id }, h("h2", { id }, title), ...children);
}

function figure(title: string, svg: string | undefined, legend: readonly (readonly [string, string])[], data: HTMLElement): HTMLElement {
  return panel(title,
    ...(legend.length
      ? [h("p", { class: "legend" },
        ...legend.map(([name, text]) => h("span", {}, h("i", { class: "key " + name, "aria-hidden": "true" }), text)))]
      : []),
    drawing(svg ?? "<svg/>"), h("details", {}, h("summary", {}, tr("As a table")), data));
}

const weekdays = [tr("Monday"), tr("Tuesday"), tr("Wednesday"), tr("Thursday"), tr("Friday"), tr("Saturday"), tr("Sunday")];

function figures({ days, hours, week, charts }: Statistics): HTMLElement[] {
  return [
    figure(tr("Conversations by day"), charts["conversations"], [],
      table([tr("Day"), tr("Started"), tr("Closed")], days.map((d) => [d.date, count(d.conversations), count(d.closed)]))),
    figure(tr("Messages by day"), charts["messages"], [["visitor", tr("Visitors")], ["operator", tr("Team")], ["ai", tr("AI")]],
      table([tr("Day"), tr("Visitors"), tr("Team"), tr("AI")],
        days.map((d) => [d.date, count(d.visitorMessages), count(d.operatorMessages), count(d.aiMessages)]))),
    figure(tr("When visitors write"), charts["week"], [],
      table([tr("Day"), ...hours.map((_, i) => String(i).padStart(2, "0"))], week.map((row, i) => [weekdays[i]!, ...row.map(count)]))),
    figure(tr("Messages by hour of the day"), charts["hours"], [],
      table([tr("Hour"), tr("Conversations"), tr("Messages")],
        hours.map((x) => [x.hour + ":00", count(x.conversations), count(x.messages)]))),
  ];
}

function groups(title: string, about: string, list: Group[], name: (text: string) => string): HTMLElement {
  const rows = list.map((g) => [name(g.name) || tr("No name"), count(g.messages), count(g.conversations), count(g.firstResponses),
    duration(g.firstResponseMedianSeconds), duration(g.firstResponseP90Seconds)]);
  const none = h("p", { class: "hint" }, tr("Nobody answered in this period."));
  return panel(title, h("p", { class: "hint" }, about),
    list.length ? table([title, tr("Messages"), tr("Conversations"), tr("First responses"), tr("Median"), tr("90 % within")], rows) : none);
}

function ratings({ ratings: { scores, comments }, totals }: Statistics): HTMLElement {
  const most = Math.max(1, ...scores);
  const bars = scores.map((n, i) =>
    h("li", {}, h("span", {}, tr("{score} of 5", { score: i + 1 })),
      h("meter", { min: 0, max: most, value: n, "aria-label": tr("{score} of 5", { score: i + 1 }) }),
      h("b", {}, count(n)))).reverse();
  const said = comments.map((c) =>
    h("li", {}, h("a", { href: "#/sessions/" + encodeURIComponent(c.sessionId) }, tr("{score} of 5", { score: c.score })), " ",
    agoTime(c.at), h("p", { dir: "auto" }, c.comment)));
  return panel(tr("Ratings"),
    h("p", { class: "hint" },
      totals.ratings ? tr("Ratings in this period, and the newest with a comment.") : tr("No visitor left a rating in this period.")),
    h("ul", { class: "scores" }, ...bars), h("ul", { class: "comments", "aria-label": tr("Comments") }, ...said));
}

function draw(s: Statistics): HTMLElement[] {
  const channel = (name: string): string => (name === "console" ? tr("Console") : platformName(name));
  return [tiles(s), ...figures(s),
    groups(tr("Person"),
      tr("By the person who answered, on any platform. A first response counts for the person who gave it, " +
        "in conversations that started in this period."), s.people, (name) => name),
    groups(tr("Channel"), tr("By the place where your team answered."), s.channels, channel), ratings(s)];
}

byId("statistics-list").replaceChildren(h("div", { class: "statistics-head" }, range, dates, csv), status, problem, body);
range.value = "30";
choose();
// The numbers are of the moment in which the page is opened.
subscribe((now, before) => {
  if (now.page === "statistics" && changed(now, before, "page", "site")) choose();
});
