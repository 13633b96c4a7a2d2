// The log of what was delivered to a destination.

import { call } from "../net/api";
import { h, syncChildren } from "../ui/dom";
import { agoTime, sentence, until } from "../ui/format";
import { set, subscribe } from "../state/store";
import type { Delivery, Try } from "../types";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Page {
  deliveries: Delivery[];
  nextCursor?: string;
}

interface Retried {
  retried: number;
  nextCursor?: string;
}

// Deliveries is a section that follows the log while it is in view.
export interface Deliveries {
  node: HTMLElement;
  opened(): void;
  left(): void;
}

const pageSize = 50;
const longest = 140;
const every = 20_000;
const filters = [["", tr("All")], ["pending", tr("Waiting")], ["failed", tr("Failed")], ["done", tr("Delivered")]] as const;

const tags: Record<Delivery["state"], [name: string, tone: string]> = {
  pending: [tr("Waiting"), ""],
  sending: [tr("On its way"), ""],
  done: [tr("Delivered"), "good"],
  failed: [tr("Failed"), "bad"],
};

// attemptText is what came of an attempt: the receiver's status, and how long it took.
function attemptText({ status, durationMs }: Try): string {
  return tr("{status} in {ms} ms", { status: status ? String(status) : tr("no answer"), ms: durationMs });
}

// said is what the receiver said last, with all attempts; a long answer opens on demand.
function said({ state: is, lastError, nextAt, tries }: Delivery): (Node | string)[] {
  const error = sentence(lastError ?? "");
  const again = is === "pending" && error ? h("p", { class: "hint" }, tr("Again {nextAt}", { nextAt: until(nextAt) })) : "";
  const took = tries.length ? h("p", { class: "hint" }, tries.map(attemptText).join(", ")) : "";
  if (error.length <= longest) return [error, took, again];
  return [h("details", {}, h("summary", {}, error.slice(0, longest) + "…"), error), took, again];
}

function cells(d: Delivery, retry: (d: Delivery) => unknown): Node[] {
  const [name, tone] = tags[d.state];
  const failed = d.state === "failed" || (d.state === "pending" && (d.attempts > 0 || d.lastError));
  const again = failed &&
    h("button", { class: "button small", onclick: () => retry(d), "aria-label": tr("Send again: {type}", { type: d.type }) },
      tr("Send again"));
  return [
    h("th", { scope: "row" }, h("a", { href: "#/sessions/" + d.sessionId }, d.type), h("code", { title: "webhook-id" }, d.webhookId)),
    h("td", {}, agoTime(d.createdAt)),
    h("td", {}, h("span", { class: "tag " + tone }, name)),
    h("td", { class: "number" }, String(d.attempts)),
    h("td", { class: "said" }, ...said(d)),
    h("td", {}, again),
  ];
}

// table keeps a row whose delivery did not change, so that focus stays in it.
function table(retry: (d: Delivery) => unknown) {
  const rows = new Map<string, { item: HTMLTableRowElement; shows: string }>();
  const body = h("tbody", { id: "deliveries" });
  const row = (d: Delivery): HTMLTableRowElement => {
    const shows = JSON.stringify(d);
    const old = rows.get(d.id);
    if (old?.shows === shows) return old.item;
    const item = old?.item ?? h("tr");
    item.replaceChildren(...cells(d, retry));
    rows.set(d.id, { item, shows });
    return item;
  };
  return {
    node: h("table", { class: "deliveries" },
      h("thead", {},
        h("tr", {}, ...[tr("Event"), tr("When"), tr("State"), tr("Attempts"), tr("Last response")].map((text) =>
          h("th", { scope: "col" }, text)),
          h("th", {}, h("span", { class: "sr" }, tr("Again"))))),
      body),
    draw: (list: Delivery[]): void => syncChildren(body, list.map(row)),
    clear: (): void => rows.clear(),
  };
}

// loader holds the list that passes a filter. Over a slow line it may be asked again before
// it is answered: every answer counts that is newer than what is shown.
function loader(dest: string, draw: (text: string) => void) {
  let asked = 0;
  let answered = 0;
  const log = {
    filter: "",
    list: [] as Delivery[],
    cursor: "",
    // load reloads the list, or loads the page after a cursor.
    async load(after = ""): Promise<void> {
      const mine = ++asked;
      const of = log.filter;
      const isNew = (): boolean => mine > answered && of === log.filter;
      try {
        const page = await call<Page>("GET", "/deliveries?dest=" + dest + "&limit=" + pageSize + "&state=" + of + "&cursor=" + after);
        if (!isNew()) return;
        answered = mine;
        log.list = [...(after ? log.list : []), ...page.deliveries];
        log.cursor = page.nextCursor ?? "";
        draw(log.list.length ? "" : of ? tr("None.") : tr("Nothing has been posted yet."));
      } catch {
        if (isNew()) draw(tr("The deliveries could not be loaded."));
      }
    },
  };
  return log;
}

// retryFailed repeats the request until nothing is left: each retries some thousands. It says what came of it.
async function retryFailed(dest: string): Promise<string> {
  let count = 0;
  let problem = "";
  for (let next: string | undefined = ""; next !== undefined; ) {
    const page: Retried | undefined = await call<Retried>("POST", "/deliveries/retry", { dest, cursor: next || undefined })
      .catch((error: Error) => void (problem = error.message));
    count += page?.retried ?? 0;
    next = page?.nextCursor;
  }
  if (problem) return tr("Not all could be sent again: {problem}", { problem });
  return count ? plural(count, "{n} is sent again.", "{n} are sent again.") : tr("None has failed.");
}

// follower calls load every now and then while the section is in view, and soon after a delivery failed.
function follower(load: () => void): { opened(): void; left(): void } {
  let timer = 0;
  let soon = 0;
  const follow = (): void => {
    clearTimeout(soon);
    soon = setTimeout(load, 500);
  };
  // Deliveries that fail while this page is open need no mark.
  subscribe(({ gaveUp }) => {
    if (!timer || !gaveUp) return;
    set({ gaveUp: false });
    follow();
  });
  return {
    opened() {
      set({ gaveUp: false });
      timer = setInterval(follow, every);
    },
    left() {
      clearInterval(timer);
      timer = 0;
      clearTimeout(soon);
    },
  };
}

export function deliveriesSection(dest: string, name: string): Deliveries {
  const title = h("h2", { id: "deliveries-title", tabindex: "-1" }, name);
  const note = h("p", { class: "hint", id: "deliveries-note", role: "status" }, tr("Loading…"));
  const more = h("button", { class: "button small", id: "deliveries-more", hidden: true,
    onclick: () => void log.load(log.cursor) }, tr("Show older ones"));
  const choices = filters.map(([value, label]) =>
    h("button", { "data-filter": value, "aria-pressed": String(value === ""), onclick: () => show(value) }, label));
  const allFailed = h("button", { class: "button small", id: "deliveries-retry", onclick: () => void retryAll() },
    tr("Send all failed again"));
  const draw = (text: string): void => {
    shown.draw(log.list);
    if (note.textContent !== text) note.textContent = text;
    more.hidden = !log.cursor;
    for (const button of choices) button.setAttribute("aria-pressed", String(button.dataset["filter"] === log.filter));
  };
  const log = loader(dest, draw);
  const show = (filter: string): void => {
    shown.clear();
    Object.assign(log, { filter, list: [], cursor: "" });
    draw(tr("Loading…"));
    void log.load();
  };
  const retry = async (d: Delivery): Promise<void> => {
    try {
      await call("POST", "/deliveries/" + encodeURIComponent(d.id) + "/retry");
      await log.load();
      title.focus();
    } catch (error) {
      note.textContent = tr("It could not be sent again: {message}", { message: (error as Error).message });
    }
  };
  const shown = table(retry);
  const retryAll = async (): Promise<void> => {
    if (allFailed.ariaDisabled === "true") return;
    allFailed.ariaDisabled = "true";
    const outcome = await retryFailed(dest);
    allFailed.ariaDisabled = null;
    await log.load();
    note.textContent = outcome;
  };
  // The list stays while older pages are being read.
  const { opened, left } = follower(() => log.list.length <= pageSize && void log.load());
  return {
    node: h("section", { "aria-labelledby": title.id },
      h("div", { class: "deliveries-head" }, title,
        h("div", { class: "filter four", id: "deliveries-filter", role: "group", "aria-label": tr("Show deliveries") }, ...choices),
        h("button", { class: "button small", id: "deliveries-refresh", onclick: () => void log.load() }, tr("Refresh")),
        allFailed),
      shown.node, note, more),
    opened() {
      void log.load();
      opened();
    },
    left,
  };
}
