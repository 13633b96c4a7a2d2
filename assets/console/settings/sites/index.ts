// Websites: the sites that this relay serves, how each is embedded, and adding another.

import { call } from "../../net/api";
import { several } from "../../state/sites";
import { attempt, state } from "../../state/store";
import type { Site } from "../../types";
import { h } from "../../ui/dom";
import { missing } from "../../ui/fields";
import type { Page } from "../page";
import { feedback, labelled, loadSites, section } from "../settings";
import { importForm } from "./import";
import { siteRow } from "./row";
import { snippetCard } from "./snippet";
import { tr } from "../../ui/texts";

// every is how often the page looks how far erasing is.
const every = 3_000;

export function sitesPage(): Page {
  const list = h("ul", { class: "members" });
  const made = h("div", { "aria-live": "polite" });
  const intro = h("p", { class: "hint" });
  const sites = section(tr("Websites"), intro, list, made);
  const load = async (): Promise<void> => {
    const all = await loadSites();
    const erasing = await Promise.all(all.filter((s) => s.erasedAt).map((s) => call<Site>("GET", "/sites/" + s.id).catch(() => s)));
    intro.textContent = several()
      ? tr("Visitors of each website meet your team under its own name, look and hours. " +
        "What you set for all websites holds where one has no value of its own.")
      : tr("This relay serves one website. Another gets a snippet, conversations and settings of its own; your team answers both here.");
    list.hidden = !several();
    list.replaceChildren(...all.map((s) => siteRow(erasing.find((e) => e.id === s.id) ?? s, { changed, show })));
  };
  const changed = async (): Promise<void> => void (await attempt(load(), tr("The websites could not be loaded")));
  const show = async (id: string): Promise<void> => {
    const site = await attempt(call<Site>("GET", "/sites/" + id), tr("The snippet could not be loaded"));
    if (!site) return;
    const card = snippetCard(site);
    made.replaceChildren(card.node);
    card.code.focus();
  };
  const taken = async (site: Site): Promise<void> => {
    await changed();
    await show(site.id);
  };
  let timer = 0;
  return {
    node: h("div", {}, sites, section(tr("Add a website"), addForm(changed, show)), section(tr("Import a website"), importForm(taken))),
    show: load,
    opened: () => void (timer = setInterval(() => state.sites.some((s) => s.erasedAt) && void changed(), every)),
    left: () => clearInterval(timer),
  };
}

// addForm makes a site, whose chat works at once.
function addForm(changed: () => Promise<void>, show: (id: string) => Promise<void>): HTMLElement {
  const name = h("input", { class: "input", maxlength: 60, autocomplete: "off", placeholder: tr("Shop Berlin") });
  const address = h("input", { class: "input", type: "url", autocomplete: "off", placeholder: "https://berlin.example.com" });
  const said = feedback();
  const add = async (e: Event): Promise<void> => {
    e.preventDefault();
    said.said("");
    if (missing([[name, tr("Give the website a name, like Shop Berlin.")]])) return;
    try {
      const site = await call<Site>("POST", "/sites", { name: name.value.trim(), address: address.value.trim() });
      name.value = address.value = "";
      await changed();
      await show(site.id);
    } catch (error) {
      said.refused(error, { name, address });
    }
  };
  return h("form", { novalidate: true, onsubmit: add }, labelled(tr("Name"), name, tr("What your team calls it.")),
    labelled(tr("Address (optional)"), address),
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "button main" }, tr("Add website")), ...said.nodes),
    h("p", { class: "hint" }, h("a", { href: "/docs/sites", target: "_blank", rel: "noopener" }, tr("How several websites work"))));
}

