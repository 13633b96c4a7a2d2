// Which websites somebody answers. With one website, nobody sees any of it.

import { call } from "../../net/api";
import { several, siteName } from "../../state/sites";
import { state } from "../../state/store";
import { h } from "../../ui/dom";
import { feedback } from "../settings";
import { openDialog } from "./dialog";
import type { Person, Team } from "./types";
import { tr } from "../../ui/texts";

// sitesOf says which websites somebody answers, "" for all.
export const sitesOf = (of: { sites?: string[] }): string =>
  of.sites ? (of.sites.map((id) => siteName(id) || id).join(", ") || tr("no website")) : "";

// siteBoxes are the websites to tick; value is what is ticked, null for none, which stands for all.
export function siteBoxes(ticked: string[] = []): { node: HTMLElement; value(): string[] | null } {
  const boxes = state.sites.map((s) => h("input", { type: "checkbox", value: s.id, checked: ticked.includes(s.id) }));
  const node = h("fieldset", { class: "site-boxes", hidden: !several() }, h("legend", {}, tr("Websites")),
    ...boxes.map((box, i) => h("label", {}, box, " ", h("span", { dir: "auto" }, state.sites[i]!.name))),
    h("p", { class: "hint" }, tr("Nothing ticked stands for all of yours, also those added later.")));
  return {
    node,
    value() {
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      return chosen.length ? chosen : null;
    },
  };
}

// showSites changes which websites a person answers.
export function showSites(p: Person, team: Team): void {
  const said = feedback();
  const boxes = siteBoxes(p.sites);
  const save = async (e: Event): Promise<void> => {
    e.preventDefault();
    try {
      await call("PATCH", "/people/" + p.id, { sites: boxes.value() });
      dialog.close();
      await team.refresh();
    } catch (error) {
      said.refused(error);
    }
  };
  const dialog = h("dialog", { class: "ask", "aria-label": tr("Websites of {name}", { name: p.name }) },
    h("form", { method: "dialog", onsubmit: save }, h("h2", {}, tr("Whose visitors {name} answers", { name: p.name })),
      h("p", { class: "hint" }, tr("Other websites do not exist for {name}. Conversations there become nobody’s.", { name: p.name })),
      boxes.node, ...said.nodes,
      h("div", { class: "ask-row" }, h("button", { type: "button", class: "button", onclick: () => dialog.close() }, tr("Cancel")),
        h("button", { type: "submit", class: "button main" }, tr("Save")))));
  openDialog(dialog);
}
