// The composer's emoji: those that the widget offers. Loaded when they are first asked for.

import { ALL } from "../../widget/write/emojis";
import { byId, h } from "../ui/dom";
import { makePicker, put } from "./picker";
import { tr } from "../ui/texts";

const all = ALL.flat();

const picker = makePicker(byId("emoji"), tr("Emoji"), (query, list) => {
  const words = query.toLowerCase();
  const found = all.filter(([sign, name]) => !words || sign === words || name.split(" ").some((n) => n.startsWith(words)));
  list.classList.add("signs");
  list.replaceChildren(...found.map(([sign, name]) =>
    h("button", { type: "button", title: name, "aria-label": name, onclick: () => put(sign) }, sign)));
  return found.length ? "" : tr("No emoji fits.");
});

export const toggle = (): void => picker.toggle();
