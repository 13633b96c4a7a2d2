// The page of a contact: who a visitor is beyond one conversation. Its address is #/contact/ and one of the conversations.

import { ApiError, call, sessionPath } from "../net/api";
import { avatar } from "../ui/avatar";
import { byId, h } from "../ui/dom";
import { fullTime, visitorName } from "../ui/format";
import { set, state, subscribe } from "../state/store";
import { button, section } from "../settings/settings";
import { conversations } from "./conversations";
import { details } from "./details";
import { notes } from "./notes";
import type { Contact } from "./types";

const list = byId("contact-list");
let shown = "";

// head says who it is.
function head(contact: Contact): HTMLElement {
  const newest = contact.conversations[0] ?? state.sessions.get(shown);
  const [mark, tone] = contact.verified ? ["Verified", "good"] : ["Not verified", ""];
  const { firstSeen, lastSeen } = contact;
  const seen = firstSeen && lastSeen ? "First seen " + fullTime(firstSeen) + ", last seen " + fullTime(lastSeen) : "";
  return h("div", { class: "contact-head" }, newest && avatar(newest), h("div", {},
    h("p", {}, h("b", { dir: "auto" }, contact.name || (newest ? visitorName(newest) : "")), " ",
      h("span", { class: "tag " + tone }, mark)),
    h("p", { class: "hint" }, seen)));
}

// draw shows a contact; each change of it answers what it is then.
function draw(contact: Contact): void {
  const id = shown;
  set({ sessions: state.sessions.with(contact.conversations.filter((s) => state.sessions.get(s.id))) });
  const again = (next: Contact): void => {
    if (id === shown) draw(next);
  };
  const path = sessionPath(id) + "/contact";
  list.replaceChildren(head(contact), details(contact, path, again), notes(contact, path, again), ...conversations(contact));
}

async function load(id: string): Promise<void> {
  shown = id;
  list.replaceChildren(h("p", { class: "hint", role: "status" }, "Loading…"));
  try {
    const contact = await call<Contact>("GET", sessionPath(id) + "/contact");
    if (id === shown) draw(contact);
  } catch (error) {
    if (id !== shown) return;
    const gone = error instanceof ApiError && error.status === 404;
    list.replaceChildren(h("p", { class: "alert", role: "alert" }, gone
      ? "This contact is gone: its conversation was deleted, or the link is wrong."
      : "The contact could not be loaded: " + (error as Error).message, " ", !gone && button("Try again", retry)));
  }
}

async function retry(): Promise<void> {
  await load(shown);
  byId("contact-title").focus();
}

const back = h("a", { class: "button small" }, "Open the conversation");
byId("contact-title").after(back);

function open(): void {
  const id = decodeURIComponent(state.place);
  back.hidden = !id;
  back.href = "#/sessions/" + state.place;
  if (id) void load(id);
  else list.replaceChildren(section("Nobody is chosen", h("p", { class: "hint" }, "Open a conversation, and in its details the contact.")));
}

subscribe((now, before) => {
  if (now.page === "contact" && (now.place !== before.place || now.page !== before.page)) open();
});
open();
