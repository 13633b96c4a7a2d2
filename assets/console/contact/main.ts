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
import { write } from "./write";
import { tr } from "../ui/texts";

const list = byId("contact-list");
let shown = "";

// head says who it is.
function head(contact: Contact): HTMLElement {
  const newest = contact.conversations[0] ?? state.sessions.get(shown);
  const known = [...contact.conversations, newest].some((one) => one?.identity);
  const [mark, tone] = contact.verified ? [tr("Verified"), "good"] : known ? [tr("Not verified"), "warn"] : [tr("Anonymous"), ""];
  const { firstSeen, lastSeen } = contact;
  const seen = firstSeen && lastSeen ? tr("First seen {first}, last seen {last}", { first: fullTime(firstSeen), last: fullTime(lastSeen) })
    : "";
  return h("div", { class: "contact-head" }, newest && avatar(newest), h("div", {},
    h("p", {}, h("b", { dir: "auto" }, contact.name || (newest ? visitorName(newest) : "")), " ",
      h("span", { class: "tag " + tone }, mark)),
    h("p", { class: "hint" }, seen)));
}

// draw shows a contact. Each change answers what it is then, and draws anew what it is about: elsewhere somebody may be writing.
function draw(contact: Contact): void {
  const id = shown;
  const path = sessionPath(id) + "/contact";
  let top = head(contact);
  const redraw = (make: typeof details, now: Contact): HTMLElement => {
    const node: HTMLElement = make(now, path, (next) => {
      if (id !== shown) return;
      keep(next);
      const was = top;
      was.replaceWith((top = head(next)));
      node.replaceWith(redraw(make, next));
    });
    return node;
  };
  keep(contact);
  list.replaceChildren(top, redraw(details, contact), redraw(notes, contact), write(contact), ...conversations(contact));
}

// keep has the inbox show the contact's name.
function keep({ conversations: own }: Contact): void {
  set({ sessions: state.sessions.with(own.filter((s) => state.sessions.get(s.id))) });
}

async function load(id: string): Promise<void> {
  shown = id;
  list.replaceChildren(h("p", { class: "hint", role: "status" }, tr("Loading…")));
  try {
    const contact = await call<Contact>("GET", sessionPath(id) + "/contact");
    if (id === shown) draw(contact);
  } catch (error) {
    if (id !== shown) return;
    const gone = error instanceof ApiError && error.status === 404;
    list.replaceChildren(h("p", { class: "alert", role: "alert" }, gone
      ? tr("This contact is gone: its conversation was deleted, or the link is wrong.")
      : tr("The contact could not be loaded: {message}", { message: (error as Error).message }), " ", !gone &&
        button(tr("Try again"), retry)));
  }
}

async function retry(): Promise<void> {
  await load(shown);
  byId("contact-title").focus();
}

const back = h("a", { class: "button small" }, tr("Open the conversation"));
byId("contact-title").after(back);

function open(): void {
  const id = decodeURIComponent(state.place);
  back.hidden = !id;
  back.href = "#/sessions/" + state.place;
  if (id) void load(id);
  else list.replaceChildren(section(tr("Nobody is chosen"),
    h("p", { class: "hint" }, tr("Open a conversation, and in its details the contact."))));
}

subscribe((now, before) => {
  if (now.page === "contact" && (now.place !== before.place || now.page !== before.page)) open();
});
open();
