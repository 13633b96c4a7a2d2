// Notes about a contact, which only the team sees.

import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import { missing } from "../ui/fields";
import { fullTime } from "../ui/format";
import { administrator, me, myId } from "../state/me";
import { attempt } from "../state/store";
import { button, feedback, labelled, section } from "../settings/settings";
import type { Again, Contact, Note } from "./types";
import { tr } from "../ui/texts";

// remove deletes a note for good.
async function remove(path: string, note: Note, again: Again): Promise<void> {
  if (!(await ask(tr("Delete this note? This cannot be undone."), tr("Delete")))) return;
  const next = await attempt(call<Contact>("DELETE", path + "/notes/" + encodeURIComponent(note.id)), tr("Not deleted"));
  if (next) again(next);
}

function noteRow(path: string, note: Note, again: Again): HTMLElement {
  const own = administrator || !!myId && note.authorId === myId;
  return h("li", {}, h("p", { class: "contact-note", dir: "auto" }, note.content),
    h("p", { class: "hint" }, [note.authorName, fullTime(note.createdAt)].filter(Boolean).join(" · "), " ",
      own && button(tr("Delete"), () => remove(path, note, again),
        tr("Delete the note of {createdAt}", { createdAt: fullTime(note.createdAt) }))));
}

export function notes({ notes: list }: Contact, path: string, again: Again): HTMLElement {
  const text = h("textarea", { class: "input", rows: "2", maxlength: "10000", dir: "auto" });
  const said = feedback();
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (missing([[text, tr("Write a note first.")]])) return;
    try {
      again(await call<Contact>("POST", path + "/notes", { content: text.value, ...(me && { operatorName: me }) }));
      document.getElementById("contact-note")?.focus();
    } catch (error) {
      said.refused(error, { content: text });
    }
  };
  text.id = "contact-note";
  const form = h("form", { onsubmit: submit }, labelled(tr("New note"), text, tr("Only the team sees it.")),
    h("div", { class: "buttons" }, h("button", { class: "button small", type: "submit" }, tr("Add the note")), ...said.nodes));
  return section(tr("Notes"), h("ul", { class: "contact-list" }, ...list.map((note) => noteRow(path, note, again))), form);
}
