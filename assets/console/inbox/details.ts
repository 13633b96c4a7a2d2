// The open session's visitor: all known facts, pages and earlier conversations. Loaded with the first conversation that is opened.

import { call, sessionPath } from "../net/api";
import { avatar } from "../ui/avatar";
import { byId, h, newTab } from "../ui/dom";
import { codeName, fullTime, pagePath, preview, visitorName, webURL, zoneTime } from "../ui/format";
import { siteMark } from "../state/sites";
import { current, state, subscribe } from "../state/store";
import type { State, View } from "../state/store";
import type { Contact } from "../contact/types";
import { showMerged } from "./merged";
import { wireTyped } from "./typed";
import type { Session } from "../types";
import { tr } from "../ui/texts";

type Fact = [name: string, value: Node | string | undefined];

function facts(title: string, list: Fact[]): HTMLElement | string {
  const known = list.filter(([, value]) => value);
  if (!known.length) return "";
  const rows = known.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, value)));
  return h("section", {}, h("h3", {}, title), h("dl", {}, ...rows));
}

function link(url: string | undefined): Node | string | undefined {
  const href = webURL(url);
  return href ? h("a", { href, title: href, ...newTab }, pagePath(href)) : url;
}

// label turns a field name such as orderNumber into words.
function label(field: string): string {
  const words = field.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
  return field === "id" ? "ID" : words.charAt(0).toUpperCase() + words.slice(1);
}

function fields(of: Record<string, unknown> = {}): Fact[] {
  const text = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
  return Object.entries(of).map(([name, value]) => [label(name), text(value)]);
}

function person(s: Session): HTMLElement {
  const [mark, tone] = !s.identity ? [tr("Anonymous"), ""] : s.verified ? [tr("Verified"), "good"] : [tr("Not verified"), "warn"];
  return h("div", { class: "person" }, avatar(s), h("h2", { dir: "auto" }, visitorName(s)), h("span", { class: "tag " + tone }, mark),
    h("a", { class: "button small", id: "contact-open", href: "#/contact/" + encodeURIComponent(s.id) }, tr("Contact and notes")));
}

function rating({ csat }: Session): HTMLElement | string {
  const score = csat?.score;
  if (!score) return facts(tr("Satisfaction"), [[tr("Asked"), csat?.askedAt && fullTime(csat.askedAt)]]);
  const stars = h("span", { class: "stars", role: "img", "aria-label": tr("{score} of 5", { score }) }, "★".repeat(score) +
    "☆".repeat(5 - score));
  return facts(tr("Satisfaction"),
    [[tr("Score"), stars], [tr("Comment"), csat.comment], [tr("Answered"), csat.respondedAt && fullTime(csat.respondedAt)]]);
}

// systems maps user agents to operating systems. The order matters: Android's user agents name Linux, too.
const systems: [RegExp, string][] = [
  [/Windows/, "Windows"], [/iPhone|iPad|iPod/, "iOS"], [/Android/, "Android"], [/CrOS/, "ChromeOS"], [/Mac OS X|Macintosh/, "macOS"],
  [/Linux|X11/, "Linux"],
];

const system = (agent = ""): string | undefined => systems.find(([pattern]) => pattern.test(agent))?.[1];

// pagesOf lists the loaded pages of this visit, without the current one.
function pagesOf({ timeline, selected }: State): HTMLElement | string {
  const pages = timeline.filter((e) => e.type === "page_view").map((e) => String(e.data["url"] ?? "")).slice(-8).reverse();
  if (!selected || !pages.length) return "";
  return h("section", {}, h("h3", {}, tr("Pages")), h("ul", { class: "plain" }, ...pages.map((url) => h("li", {}, link(url)))));
}

let asked = "";

const mostEarlier = 10;

// showEarlier lists the contact's other conversations, if any. Those of others who only say the same are not among them.
async function showEarlier(s: Session): Promise<void> {
  asked = s.id;
  const found = await call<Contact>("GET", sessionPath(s.id) + "/contact").catch(() => undefined);
  const others = (found?.conversations ?? []).filter((other) => other.id !== s.id).slice(0, mostEarlier);
  if (asked !== state.selected || !others.length) return byId("earlier").replaceChildren();
  const line = (other: Session): HTMLElement =>
    h("li", {}, h("a", { href: "#/sessions/" + other.id }, fullTime(other.lastActivity)), " ",
      other.lastMessage ? preview(other.lastMessage).slice(0, 60) : "");
  byId("earlier").replaceChildren(h("h3", {}, tr("Earlier conversations")), h("ul", { class: "plain" }, ...others.map(line)));
}

function visit({ metadata: m, createdAt, site }: Session): HTMLElement | string {
  return facts(tr("Visit"), [
    [tr("Website"), siteMark(site) || undefined],
    [tr("Page"), link(m["url"])],
    [tr("Came from"), link(m["referrer"])],
    [tr("Local time"), zoneTime(m["timezone"]) || undefined],
    [tr("Country"), codeName("region", m["country"])],
    [tr("Language"), codeName("language", m["language"])],
    [tr("Browser"), m["browser"]],
    [tr("System"), system(m["userAgent"])],
    [tr("Device"), m["deviceType"] && label(m["deviceType"])],
    [tr("Started"), fullTime(createdAt)],
  ]);
}

let drawn: Session | undefined;

const view: View = (now, before) => {
  const s = current(now);
  if (s && s.id !== asked) {
    byId("earlier").replaceChildren();
    void showEarlier(s);
  }
  if (s === drawn && now.timeline === before.timeline && now.sites === before.sites) return;
  drawn = s;
  showMerged(s);
  byId("facts").replaceChildren();
  if (!s) return;
  const { name: _, ...identity } = s.identity ?? {};
  const { preChat = {} } = s;
  // Form answers that the identity repeats are shown once.
  const answers = Object.fromEntries(Object.entries(preChat).filter(([field, value]) => s.identity?.[field] !== value));
  byId("facts").append(person(s), facts(tr("Identity"), fields(identity)), facts(tr("Asked before the chat"), fields(answers)), visit(s),
    pagesOf(now), rating(s));
};

subscribe(view);
view(state, state);
wireTyped();
