// The dialog that erases a website with everything of it: it asks for the name.

import { call } from "../../net/api";
import { attempt } from "../../state/store";
import type { Site } from "../../types";
import { h } from "../../ui/dom";
import { feedback, labelled } from "../settings";
import { sitePath, type Acts } from "./types";
import { plural } from "../../ui/sentences";
import { tr } from "../../ui/texts";

export async function eraseSite(s: Site, acts: Acts): Promise<void> {
  const whole = await attempt(call<Site>("GET", sitePath(s)), tr("The website could not be loaded"));
  if (!whole) return;
  const n = whole.conversations ?? 0;
  const name = h("input", { class: "input", autocomplete: "off", spellcheck: "false" });
  const said = feedback();
  const erase = async (e: Event): Promise<void> => {
    e.preventDefault();
    try {
      await call("DELETE", sitePath(s) + "?name=" + encodeURIComponent(name.value.trim()));
      dialog.close();
      await acts.changed();
    } catch (error) {
      said.refused(error, { name });
    }
  };
  const dialog = h("dialog", { class: "ask", "aria-label": tr("Erase {name}", { name: s.name }), onclose: () => dialog.remove() },
    h("form", { novalidate: true, onsubmit: erase }, h("h2", {}, tr("Erase {name}?", { name: s.name })),
      h("p", { class: "hint" }, plural(n,
        "{n} conversation with all files, the settings and the key go for good. To keep them, archive it instead.",
        "{n} conversations with all files, the settings and the key go for good. To keep them, archive it instead.")),
      labelled(tr("Type {name} to confirm", { name: s.name }), name), ...said.nodes,
      h("div", { class: "ask-row" }, h("button", { class: "button", onclick: () => dialog.close() }, tr("Cancel")),
        h("button", { type: "submit", class: "button danger" }, tr("Erase for good")))));
  document.body.append(dialog);
  dialog.showModal();
}
