// A person's notifications: one choice for sounds, the desktop and all devices.

import { h } from "../ui/dom";
import { choose, load, onPreferences, type Preferences } from "../notify/preferences";
import { attempt } from "../state/store";
import type { Part } from "./access";
import { labelled, section } from "./settings";
import { tr } from "../ui/texts";

// saving returns what stores a choice, and the line that says so.
export function saving(): { said: HTMLElement; save(change: Partial<Preferences>): Promise<void> } {
  const said = h("p", { class: "hint", role: "status" });
  return {
    said,
    async save(change) {
      said.textContent = "";
      if ((await attempt(choose(change).then(() => true), tr("Not saved"))) === true) said.textContent = tr("Saved.");
    },
  };
}

export function preferencesSection(): Part {
  const { said, save } = saving();
  const notify = h("select", { class: "input", onchange: () => void save({ notify: notify.value }) },
    ...[["everything", tr("Everything")], ["mine", tr("Mine and what nobody has taken")],
      ["nothing", tr("Nothing")]].map(([value, label]) =>
      h("option", { value }, label)));
  const sound = h("input", { type: "checkbox", onchange: () => void save({ sound: sound.checked }) });
  const content = h("input", { type: "checkbox", onchange: () => void save({ pushContent: content.checked }) });
  onPreferences((p) => {
    notify.value = p.notify;
    sound.checked = p.sound;
    content.checked = p.pushContent;
  });
  const node = section(tr("What you are notified of"), labelled(tr("Notify me of"), notify),
    h("label", { class: "check" }, sound, " " + tr("With a sound while the console is open")),
    h("label", { class: "check" }, content, " " + tr("Devices show who wrote and what")),
    h("p", { class: "hint" },
      tr("Without it a device only says that a visitor is waiting. The browser’s push service can read nothing either way.") + " ",
      h("a", { href: "#/notifications" }, tr("Your devices"))), said);
  return { node, load: async () => void (await attempt(load(), tr("Your choice could not be loaded"))) };
}
