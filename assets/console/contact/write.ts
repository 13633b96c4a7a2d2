// Writing to the contact: in the conversation where it was last, or in a new one.

import { sessionPath } from "../net/api";
import { enqueue } from "../inbox/outbox";
import { h } from "../ui/dom";
import { missing } from "../ui/fields";
import { me } from "../state/me";
import { labelled, section } from "../settings/settings";
import { beginning } from "./begin";
import type { Contact } from "./types";
import { tr } from "../ui/texts";

// The visitor's browser goes on with the conversation that was active last, so that is where a message arrives.
const lastActive = ({ conversations }: Contact) =>
  conversations.reduce((last, s) => (s.lastActivity > last.lastActivity ? s : last), conversations[0]!);

export function write(contact: Contact): HTMLElement | "" {
  if (!contact.conversations.length) return "";
  const { id, status, blocked, visitorOnline } = lastActive(contact);
  if (blocked) return "";
  const text = h("textarea", { class: "input", id: "contact-message", rows: "2", maxlength: "40000", dir: "auto" });
  const { send, wrong, begin } = beginning();
  const anew = h("input", { type: "checkbox", id: "contact-anew" });
  const submit = (e: Event): void => {
    e.preventDefault();
    if (send.disabled || missing([[text, tr("Write a message first.")]])) return;
    const content = text.value.trim();
    if (anew.checked) return void begin(sessionPath(id) + "/next", content);
    enqueue({ sessionId: id, content, attachments: [], ...(me && { operatorName: me }) });
    location.hash = "#" + sessionPath(id);
  };
  const where = (status === "closed" ? tr("It opens the last conversation again.") : tr("It goes into the open conversation.")) + " " +
    (visitorOnline ? tr("The visitor is on your website now.")
      : tr("The visitor sees it in the chat, and gets an e-mail where that is set up."));
  const about = h("label", { class: "check" }, anew, h("span", {}, tr("Begin a new conversation")));
  return section(tr("Write a message"), h("form", { onsubmit: submit }, labelled(tr("Message"), text, where), about, wrong,
    h("div", { class: "buttons" }, send)));
}
