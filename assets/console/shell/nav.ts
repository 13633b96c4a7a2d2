// Navigation: the table of the console's pages, the rail that leads to them and the list of settings.

import { byId, h, icon, setText } from "../ui/dom";
import { changed, set, state } from "../state/store";
import type { State, View } from "../state/store";
import { tr } from "../ui/texts";

// Page is a page beside the inbox. Its address is #/name or #/name/place; its element, heading and link are named after it.
export interface Page {
  name: string;
  label: string;
  // icon is a symbol of console.html: such a page stands in the rail.
  icon?: string;
  // group is the heading above it in the list of settings. To a page with neither icon nor group another page leads.
  group?: string;
  // load imports the page's script when the page is opened first. The script then follows state.page.
  load(): Promise<unknown>;
}

const settings = (): Promise<unknown> => import("../settings/main");

// all holds every page. One that is not in console.html gets an empty frame, whose content goes into #name-list.
const all: readonly Page[] = [
  { name: "visitors", label: tr("Visitors"), icon: "screen", load: () => import("../visitors/main") },
  { name: "knowledge", label: tr("Knowledge"), icon: "book", load: () => import("../knowledge/main") },
  { name: "statistics", label: tr("Statistics"), icon: "chart", load: () => import("../statistics/main") },
  { name: "contact", label: tr("Contact"), load: () => import("../contact/main") },
  { name: "settings", label: tr("Settings"), icon: "gear", load: settings },
  { name: "channels", label: tr("Channels"), group: tr("Visitors"), load: settings },
  { name: "widget", label: tr("Widget"), group: tr("Visitors"), load: settings },
  { name: "answers", label: tr("Saved answers"), group: tr("Visitors"), load: settings },
  { name: "greetings", label: tr("Greetings"), group: tr("Visitors"), load: settings },
  { name: "forms", label: tr("Forms & ratings"), group: tr("Visitors"), load: settings },
  { name: "hours", label: tr("Hours"), group: tr("Visitors"), load: settings },
  { name: "mail", label: tr("E-mail"), group: tr("Visitors"), load: settings },
  { name: "ai", label: tr("AI"), group: tr("Automation"), load: settings },
  { name: "webhook", label: tr("Webhook"), group: tr("Automation"), load: settings },
  { name: "sites", label: tr("Websites"), group: tr("Workspace"), load: settings },
  { name: "team", label: tr("Team"), group: tr("Workspace"), load: settings },
  { name: "sso", label: tr("Sign-in"), group: tr("Workspace"), load: settings },
  { name: "privacy", label: tr("Privacy"), group: tr("Workspace"), load: settings },
  { name: "system", label: tr("System"), group: tr("Workspace"), load: settings },
  { name: "notifications", label: tr("Notifications"), group: tr("You"), load: settings },
  { name: "account", label: tr("Your account"), group: tr("You"), load: settings },
];

// Everybody finds what they may use, as relay says: other settings would only be refused.
const usable = document.body.dataset["pages"]!.split(" ");

export const pages = all.filter((page) => usable.includes(page.name));

// On a phone Settings is the list of its pages.
const narrow = matchMedia("(max-width: 760px)");

// moved are addresses that lead to another page: beside the list Settings is its own first page.
const moved: Record<string, string> = { settings: pages.find((page) => page.group)!.name, bridges: "channels" };

const loaded = new Set<Page>();
const alarms: Record<string, string> = {};

const isSetting = (page: Page): boolean => page.name === "settings" || !!page.group;

// alarm marks the link to a page, and Settings above it, with what is wrong there; "" takes the mark away.
export function alarm(name: string, text: string): void {
  alarms[name] = text;
  const page = pages.find((p) => p.name === name);
  if (page && !page.icon) drawAlarm(name, text);
  const all = pages.filter(isSetting).map((p) => alarms[p.name]).filter(Boolean);
  if (page?.icon && page.name !== "settings") drawAlarm(name, text);
  else drawAlarm("settings", all.join("\n"));
}

function drawAlarm(name: string, text: string): void {
  byId(name + "-alarm").hidden = !text;
  byId(name + "-link").title = text;
  setText(name + "-alarm-text", text);
}

function link({ name, label, icon: sign }: Page): HTMLElement {
  const mark = h("span", { class: "badge alarm", id: name + "-alarm", hidden: true }, "!",
    h("span", { class: "sr", id: name + "-alarm-text" }));
  return h("a", { id: name + "-link", href: "#/" + name, "data-page": name }, !!sign && icon(sign), h("span", {}, label), mark);
}

// frame makes the page's element unless console.html has it.
function frame({ name, label, icon: sign }: Page): void {
  if (document.getElementById(name)) return;
  const title = h("h1", { id: name + "-title", tabindex: "-1" }, label);
  const sort = sign ? "settings of-rail" : "settings";
  byId("details").before(h("main", { class: sort, id: name, "aria-labelledby": name + "-title", hidden: true },
    h("div", { class: "settings-page" }, h("header", { class: "settings-head" }, title), h("div", { id: name + "-list" }))));
}

async function load(page: Page): Promise<void> {
  if (loaded.has(page)) return;
  loaded.add(page);
  try {
    await page.load();
  } catch {
    loaded.delete(page);
    set({ failure: tr("This page could not be loaded. Reload.") });
  }
}

type Guard = (e: HashChangeEvent) => boolean;

let guard: Guard = () => false;

// guardLeaving lets a page stop a change of the address, to ask about what would be lost.
export function guardLeaving(stops: Guard): void {
  guard = stops;
}

export const isGuarded: Guard = (e) => guard(e);

// show opens the page that the address names, or none over the inbox.
export function showPage(): void {
  const [, name, place = ""] = /^#\/([^/]+)(?:\/(.*))?$/.exec(location.hash) ?? [];
  if (moved[name ?? ""] && !(narrow.matches && name === "settings")) return location.replace("#/" + moved[name!]);
  const page = pages.find((p) => p.name === name);
  if (page) frame(page);
  set({ page: page?.name ?? "", place: page ? place : "" });
  if (page) void load(page);
}

function drawCurrent({ page }: State, before = ""): void {
  const here = pages.find((p) => p.name === page);
  const setting = !!here && isSetting(here);
  byId("subnav").hidden = !setting;
  setText("bar-title", setting ? tr("Settings") : here?.label ?? tr("Inbox"));
  document.body.classList.toggle("with-subnav", setting);
  for (const a of document.querySelectorAll<HTMLElement>("#rail a, #subnav a")) {
    const { page: of } = a.dataset;
    const parent = setting && of === "settings" && !!a.closest("#rail");
    a.setAttribute("aria-current", of === page ? "page" : parent ? "true" : "false");
  }
  for (const p of pages) {
    const el = document.getElementById(p.name);
    if (el) el.hidden = p.name !== page;
  }
  if (!here) return;
  const link = document.getElementById(before + "-link"); // back in the list, the focus is where it was
  (page === "settings" && link ? link : byId(page + "-title")).focus();
}

// navView shows where the operator is.
export const navView: View = (now, before) => {
  if (now.page !== before.page) drawCurrent(now, before.page);
  if (!changed(now, before, "counts")) return;
  const waiting = now.counts?.waiting ?? 0;
  byId("inbox-waiting").hidden = !waiting;
  setText("inbox-count", waiting > 99 ? "99+" : String(waiting));
};

const heading = (text: string): HTMLElement => h("p", { class: "subnav-group" }, text);

export function wireNav(): void {
  byId("rail").append(...pages.filter((p) => p.icon).map(link));
  byId("subnav").append(...pages.filter((p) => p.group)
    .flatMap((p, i, all) => [...(p.group === all[i - 1]?.group ? [] : [heading(p.group!)]), link(p)]));
  drawCurrent(state);
  narrow.addEventListener("change", showPage);
}
