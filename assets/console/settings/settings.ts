// Reading and changing settings, and what the sections share.

import { call } from "../net/api";
import { pages } from "../shell/nav";
import { several } from "../state/sites";
import { set, state } from "../state/store";
import type { Site } from "../types";
import { h, newId } from "../ui/dom";
import { refused, type Fields } from "../ui/fields";
import {  } from "../ui/texts";

// BusinessHours are as the admin API has them: intervals like 09:00-17:00.
export interface BusinessHours {
  timezone: string;
  weekly?: Record<string, string[]>;
  exceptions?: Record<string, string[]>;
}

// Settings are the values by their names, where each comes from, and which variables set some of them.
export interface Settings {
  [name: string]: unknown;
  sources: Record<string, "default" | "environment" | "stored" | "site" | "file">;
  variables: Record<string, string>;
  // perSite are the settings of which each website may have its own value, where there are several.
  perSite?: string[];
}

// everywhere: the settings that all websites share are the operator's, too.
export const everywhere = pages.some((page) => page.name === "channels");

// shownSite is the website whose settings are shown, "" for those that all share.
export const shownSite = (): string => state.site || (everywhere ? "" : state.sites[0]?.id ?? "");

// pathOf leads to a website's settings, or where there are several to what all of them share.
const pathOf = (site: string): string => (several() ? "/sites/" + (site || "all") + "/settings" : "/settings");

// loadSites reads the websites anew.
export async function loadSites(): Promise<Site[]> {
  const { sites } = await call<{ sites: Site[] }>("GET", "/sites");
  set({ sites });
  return sites;
}

// load reads the settings of the chosen website; of all, if it is gone. Where there are several, they are read first.
export async function load(): Promise<Settings> {
  if (state.sites.length !== 1) await loadSites();
  const site = shownSite();
  return call<Settings>("GET", pathOf(state.sites.some((s) => s.id === site) ? site : ""));
}

export const save = (change: Record<string, unknown>): Promise<Settings> => call<Settings>("PATCH", pathOf(shownSite()), change);

// labelled puts a label above a control and a hint below it.
export function labelled(label: string, control: HTMLElement, hint?: HTMLElement | string): HTMLElement {
  control.id ||= newId();
  const below = typeof hint === "string" ? h("p", { class: "hint" }, hint) : hint;
  if (below) {
    below.id = newId();
    control.setAttribute("aria-describedby", below.id);
  }
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, below);
}

// Feedback is where a form says what came of saving it.
export interface Feedback {
  nodes: HTMLElement[];
  said(text: string): void;
  problem(text: string): void;
  // refused puts an error of the API beside the fields that it is about, and says the rest here.
  refused(error: unknown, fields?: Fields): void;
}

export function feedback(): Feedback {
  const status = h("span", { class: "hint", role: "status" });
  const alert = h("p", { class: "alert", role: "alert", hidden: true });
  const problem = (text: string): void => {
    status.textContent = "";
    alert.textContent = text;
    alert.hidden = !text;
  };
  return {
    nodes: [status, alert],
    said(text) {
      status.textContent = text;
      alert.hidden = true;
    },
    problem,
    refused: (error, fields = {}) => problem(refused(error as Error, fields)),
  };
}

// outcome is where a page says what came of its work: how far it is, or what failed.
export function outcome() {
  const status = h("p", { class: "hint", role: "status" });
  const wrong = h("p", { class: "alert", role: "alert", hidden: true });
  const fail = (what: string, error: unknown): void => {
    status.textContent = "";
    wrong.textContent = what + ": " + (error as Error).message;
    wrong.hidden = false;
  };
  return {
    status, wrong, fail,
    async attempt(what: string, work: () => Promise<unknown>): Promise<void> {
      try {
        await work();
        wrong.hidden = true;
      } catch (error) {
        fail(what, error);
      }
    },
  };
}

// section is a panel with a heading.
export function section(name: string, ...children: (Node | string)[]): HTMLElement {
  const id = "settings-" + name.toLowerCase().replace(/\W+/g, "-");
  return h("section", { class: "panel", "aria-labelledby": id }, h("h2", { id }, name), ...children);
}

export const button = (text: string, onclick: () => unknown, label?: string): HTMLButtonElement =>
  h("button", { class: "button small", onclick, "aria-label": label }, text);

// variableOf names the environment variable that sets a setting, whether or not a saved value wins over it.
export const variableOf = (settings: Settings, name: string): string => settings.variables[name] ?? "";
