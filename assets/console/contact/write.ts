// Writing first: a message to the contact, in the conversation where it was last.

import { enqueue } from "../inbox/outbox";
import { h } from "../ui/dom";
import { missing } from "../ui/fields";
import { me } from "../state/me";
import { labelled, section } from "../settings/settings";
import type { Contact } from "./types";

// The visitor's browser goes on with the conversation that was active last, so that is where a message arrives.
const lastActive = ({ conversations }: Contact) =>
  conversations.reduce((last, s) => (s.lastActivity > last.lastActivity ? s : last), conversations[0]!);

export function write(contact: Contact): HTMLElement | "" {
  if (!contact.conversations.length) return "";
  const { id, status, blocked, visitorOnline } = lastActive(contact);
  if (blocked) return "";
  const text = h("textarea", { class: "input", id: "contact-message", rows: "2", maxlength: "40000", dir: "auto" });
  const submit = (e: Event): void => {
    e.preventDefault();
    if (missing([[text, "Write a message first."]])) return;
    enqueue({ sessionId: id, content: text.value.trim(), attachments: [], ...(me && { operatorName: me }) });
    location.hash = "#/sessions/" + encodeURIComponent(id);
  };
  const where = (status === "closed" ? "It opens the last conversation again. " : "It goes into the open conversation. ") +
    (visitorOnline ? "The visitor is on your website now." : "The visitor sees it in the chat, and gets an e-mail where that is set up.");
  const send = h("button", { class: "button small main", type: "submit" }, "Send");
  return section("Write first", h("form", { onsubmit: submit }, labelled("Message", text, where), h("div", { class: "buttons" }, send)));
}
