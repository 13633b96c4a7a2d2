// Invitations: making one, the link that is shown once, and those that are open.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import { fullTime } from "../../ui/format";
import { codeOf } from "../channels/marks";
import { button, feedback, labelled } from "../settings";
import { roleInText, roleSelect } from "./roles";
import { siteBoxes, sitesOf } from "./sites";
import type { Invitation, Link, Person, Team } from "./types";
import { mixed } from "../../ui/sentences";
import { tr } from "../../ui/texts";

export function invitationRow(i: Invitation, people: Person[], team: Team): HTMLElement {
  const of = people.find((p) => p.id === i.personId);
  const text = of ? tr("New password for {name}", { name: of.name }) : (i.email || tr("Anybody with the link")) + ", " +
    roleInText(i.role) +
    (i.sites ? " " + tr("for {sites}", { sites: sitesOf(i) }) : "");
  const withdraw = (): void => void team.done(call("DELETE", "/invitations/" + i.id), tr("Not withdrawn"));
  const send = (): void => void team.done(call("POST", "/invitations/" + i.id + "/mail"), tr("Not sent"));
  const to = of ? of.email : i.email;
  return h("li", { class: "member" },
    h("div", { class: "member-text" }, h("b", { dir: "auto" }, text),
      h("div", { class: "hint" }, tr("Until {time}", { time: fullTime(i.expiresAt) }) + (i.mailed ? ". " + mailed(i) : ""))),
    !!to && i.mailed !== "waiting" &&
      button(i.mailed ? tr("Send again") : tr("Send by e-mail"), send, tr("Send by e-mail: {text}", { text })),
    button(tr("Withdraw"), withdraw, tr("Withdraw: {text}", { text })));
}

// mailed says what became of the e-mail with a link. It has a link of its own.
function mailed({ mailed: state, mailReason }: Invitation): string {
  if (state === "waiting") return tr("The e-mail is on its way; the link that was shown works no more.");
  if (state === "sent") return tr("Sent by e-mail; the link that was shown works no more.");
  if (state === "unknown") return tr("It is not known whether the e-mail was sent.");
  return tr("The mail server refused it: {mailReason}.", { mailReason: mailReason ?? "" });
}

// invitationForm makes an invitation, and shows its link; redraw follows what websites there are.
export function invitationForm(team: Team): { node: HTMLElement; redraw(): void } {
  const email = h("input", { class: "input", type: "email", autocomplete: "off", maxlength: 254 });
  const role = roleSelect("operator");
  let boxes = siteBoxes();
  const said = feedback();
  const invite = async (e: Event): Promise<void> => {
    e.preventDefault();
    const link = await call<Link>("POST", "/invitations", { email: email.value.trim(), role: role.value, sites: boxes.value() })
      .catch((error: unknown) => void said.refused(error, { email }));
    if (!link) return;
    said.said("");
    team.showLink(link, tr("Invitation for {name}", { name: email.value.trim() || tr("a colleague") }));
    email.value = "";
    redraw();
    await team.refresh();
  };
  const rights = tr("Operators answer visitors. Administrators also manage settings, the team and keys, and delete permanently.");
  const redraw = (): void => {
    const fresh = siteBoxes();
    boxes.node.replaceWith(fresh.node);
    boxes = fresh;
  };
  const node = h("form", { novalidate: true, onsubmit: invite },
    h("div", { class: "invite" }, labelled(tr("E-mail (optional)"), email), labelled(tr("Role"), role),
      h("button", { type: "submit", class: "button main" }, tr("Invite"))), boxes.node, said.nodes[1]!,
    h("p", { class: "hint" }, rights));
  return { node, redraw };
}

// linkCard shows a link in a field that is selected when it gets the focus.
export function linkCard(link: Link, title: string): { node: HTMLElement; address: HTMLElement } {
  const address = h("input", { class: "input code", readonly: true, value: link.url, "aria-label": tr("{title}: link", { title }),
    onfocus: () => address.select() });
  const copied = h("span", { class: "hint", role: "status" });
  const copy = async (): Promise<void> => {
    address.select();
    const ok = await navigator.clipboard.writeText(link.url).then(() => true, () => document.execCommand("copy"));
    copied.textContent = ok ? tr("Copied.") : tr("Press Ctrl+C.");
  };
  const node = h("div", { class: "link-card" }, codeOf(link.qr, tr("QR code of the link")),
    h("div", {}, h("h3", {}, title),
      h("p", { class: "hint" },
        tr("Send this link to the person yourself. It works once, until {expiresAt}, and is not shown again.",
          { expiresAt: fullTime(link.expiresAt) })),
      reach(link.url), address, h("div", { class: "buttons" }, button(tr("Copy link"), () => void copy()), copied)));
  return { node, address };
}

// reach says who cannot open a link, because of the address by which this console was opened.
function reach(url: string): Node | false {
  const { hostname } = new URL(url);
  const here = /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);
  const near = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[f[cd])/.test(hostname);
  if (!here && !near) return false;
  return h("p", { class: "alert" },
    here ? tr("This link opens on this computer only.") : tr("This link opens in your own network only."), " ",
    ...mixed("To invite others, open the console at its public address, or set {variable}, and make a new link.",
      { variable: h("code", {}, "PUBLIC_URL") }), " ",
    h("a", { href: "/docs/operations#behind-a-proxy", target: "_blank", rel: "noopener" }, tr("Put it online")));
}
