// The websites whose visitors meet the team. As long as there is one, nobody reads of sites.

import { h } from "../ui/dom";
import { me } from "./me";
import type { State } from "./store";
import { set, state } from "./store";

const storageKey = "relay:site:" + me;

export const several = (of: State = state): boolean => of.sites.length > 1;

// choose shows one site, or all with "", also after a reload.
export function choose(site: string): void {
  set({ site });
  try {
    localStorage.setItem(storageKey, site);
  } catch {
    // Storage is forbidden: the choice lasts as long as the page.
  }
}

// restoreSite chooses what was chosen before a reload.
export function restoreSite(): void {
  try {
    set({ site: localStorage.getItem(storageKey) ?? "" });
  } catch {
    // All sites are shown.
  }
}

// siteName is what the team calls a site, "" for an unknown one.
export const siteName = (id: string | undefined, of: State = state): string => of.sites.find((s) => s.id === id)?.name ?? "";

// ofSite is a query of the API about the chosen site, "" without one.
export function ofSite(more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...more, ...(state.site && { site: state.site }) });
  return query.size ? "?" + query : "";
}

// siteMark is a site's name with its colour, nothing where there is only one.
export function siteMark(id: string | undefined): HTMLElement | false {
  const site = several() && state.sites.find((s) => s.id === id);
  if (!site) return false;
  const dot = h("i", { class: "site-dot" });
  dot.style.background = site.color ?? "";
  return h("span", { class: "site" }, dot, site.name);
}
