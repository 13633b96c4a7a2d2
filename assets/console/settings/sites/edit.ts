// The dialog that changes what is known of a website.

import { call } from "../../net/api";
import type { Site } from "../../types";
import { h } from "../../ui/dom";
import { feedback, labelled } from "../settings";
import { colour } from "../widget/colour";
import { sitePath, type Acts } from "./types";
import { tr } from "../../ui/texts";

export function editSite(s: Site, acts: Acts): void {
  const name = h("input", { class: "input", maxlength: 60, autocomplete: "off", value: s.name });
  const address = h("input", { class: "input", type: "url", autocomplete: "off", value: s.address ?? "",
    placeholder: "https://shop.example.com" });
  const tint = colour(tr("Colour"), "");
  tint.set(s.color);
  const color = tint.node.querySelector<HTMLInputElement>(".input")!;
  color.placeholder = "#3b5bdb";
  const origins = h("textarea", { class: "input code", rows: 3, spellcheck: "false", placeholder: "https://shop.example.com" });
  origins.value = s.origins.join("\n");
  const said = feedback();
  const save = async (e: Event): Promise<void> => {
    e.preventDefault();
    const lines = origins.value.split(/[\s,]+/).filter(Boolean);
    try {
      await call("PATCH", sitePath(s), { name: name.value.trim(), address: address.value.trim(), color: tint.get() ?? "",
        ...(s.id !== "main" && { origins: lines }) });
      dialog.close();
      await acts.changed();
    } catch (error) {
      said.refused(error, { name, address, color, origins });
    }
  };
  const dialog = h("dialog", { class: "ask", "aria-label": tr("Edit {name}", { name: s.name }), onclose: () => dialog.remove() },
    h("form", { novalidate: true, onsubmit: save }, h("h2", {}, tr("Edit {name}", { name: s.name })),
      labelled(tr("Name"), name), labelled(tr("Address"), address),
        h("div", { class: "field" }, h("span", { class: "label" }, tr("Colour")), tint.node,
        h("p", { class: "hint" }, tr("Your team tells the website by it."))),
      s.id === "main" ? "" : labelled(tr("Only from these addresses"), origins, tr("One in each line. None: the key works on every page.")),
      ...said.nodes,
      h("div", { class: "ask-row" }, h("button", { class: "button", onclick: () => dialog.close() }, tr("Cancel")),
        h("button", { type: "submit", class: "button main" }, tr("Save")))));
  document.body.append(dialog);
  dialog.showModal();
}
