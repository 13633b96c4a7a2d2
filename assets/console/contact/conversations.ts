// The conversations of a contact, and apart from them those of others who claim to be it.

import { h } from "../ui/dom";
import { agoTime, preview, visitorName } from "../ui/format";
import { section } from "../settings/settings";
import type { Session } from "../types";
import type { Contact } from "./types";
import { tr } from "../ui/texts";

function row(s: Session, name = ""): HTMLElement {
  const said = s.lastMessage ? preview(s.lastMessage).slice(0, 120) : "";
  return h("li", {}, h("a", { href: "#/sessions/" + encodeURIComponent(s.id), dir: "auto" }, name || said || tr("Conversation")), " ",
    h("span", { class: "tag " + (s.status === "open" ? "good" : "") }, s.status === "open" ? tr("Open") : tr("Closed")),
    ...s.tags.map((tag) => h("span", { class: "tag label" }, tag)), h("span", { class: "hint" }, agoTime(s.lastActivity)),
    !!name && h("p", { class: "hint", dir: "auto" }, said));
}

const rows = (list: Session[], named = false): HTMLElement =>
  h("ul", { class: "contact-list" }, ...list.map((s) => row(s, named ? visitorName(s) : "")));

export function conversations({ conversations: own, claims, hasMore }: Contact): HTMLElement[] {
  const more = h("p", { class: "hint", hidden: !hasMore }, tr("Only the newest are listed."));
  const all = section(tr("Conversations"), rows(own), more);
  if (!claims.length) return [all];
  const warning = tr("Others who gave the same e-mail address or id and have not proved it. They may be somebody else.");
  return [all, section(tr("Claim to be this contact"), h("p", { class: "hint" }, warning), rows(claims, true))];
}
