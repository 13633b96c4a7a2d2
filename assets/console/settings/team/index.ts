// Team: the people, the invitations that are open, and who did what.

import { call } from "../../net/api";
import { ask } from "../../ui/ask";
import { h } from "../../ui/dom";
import { fullTime, platformName } from "../../ui/format";
import { myId } from "../../state/me";
import { attempt } from "../../state/store";
import { everyDevice, passkeys, signIns } from "../access";
import { auditSection } from "./audit";
import { codeOf } from "../channels/marks";
import type { Page } from "../page";
import { button, feedback, labelled, section } from "../settings";

interface PlatformName {
  bridge: string;
  name: string;
}

interface Person {
  id: string;
  name: string;
  email?: string;
  role: string;
  avatar: string;
  platformNames: PlatformName[];
}

interface Invitation {
  id: string;
  role: string;
  email?: string;
  personId?: string;
  expiresAt: string;
}

interface Link extends Invitation {
  url: string;
  qr: string;
}

const roles = [["operator", "Operator"], ["administrator", "Administrator"]] as const;

const roleName = (role: string): string => roles.find(([value]) => value === role)?.[1] ?? role;

function roleSelect(role: string, label: string, onchange?: (e: Event) => unknown): HTMLSelectElement {
  const node = h("select", { class: "input", "aria-label": label, ...(onchange && { onchange }) },
    ...roles.map(([value, name]) => h("option", { value }, name)));
  node.value = role;
  return node;
}

// reach says who cannot open a link, because of the address by which this console was opened.
function reach(url: string): Node | false {
  const { hostname } = new URL(url);
  const here = /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);
  const near = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[f[cd])/.test(hostname);
  if (!here && !near) return false;
  return h("p", { class: "alert" },
    (here ? "This link opens on this computer only." : "This link opens in your own network only.") +
      " To invite others, open the console at its public address, or set ",
    h("code", {}, "PUBLIC_URL"), ", and make a new link. ",
    h("a", { href: "/docs/operations#behind-a-proxy", target: "_blank", rel: "noopener" }, "Put it online"));
}

export function teamPage(): Page {
  const list = h("ul", { class: "members" });
  const open = h("ul", { class: "members" });
  const made = h("div", { "aria-live": "polite" });
  const audit = auditSection();
  let people: Person[] = [];

  const refresh = async (): Promise<void> => {
    const both = await attempt(Promise.all([
      call<{ people: Person[] }>("GET", "/people"), call<{ invitations: Invitation[] }>("GET", "/invitations"),
    ]), "The team could not be loaded");
    if (!both) return;
    people = both[0].people;
    list.replaceChildren(...(people.length
      ? people.map(row)
      : [h("li", { class: "hint" }, "Nobody has an account yet: everybody signs in with the secret key.")]));
    const links = both[1].invitations;
    open.replaceChildren(...(links.length ? links.map(invitation) : [h("li", { class: "hint" }, "No invitation is open.")]));
  };
  // done reports a failure and redraws the team.
  const done = async (work: Promise<unknown>, what: string): Promise<void> => {
    await attempt(work, what);
    await refresh();
  };

  const row = (p: Person): HTMLElement => {
    const path = "/people/" + p.id;
    const names = p.platformNames.map((n) => platformName(n.bridge) + " " + n.name).join(", ");
    return h("li", { class: "member" },
      h("img", { class: "member-face", src: p.avatar, alt: "", width: 40, height: 40 }),
      h("div", { class: "member-text" }, h("b", { dir: "auto" }, p.name), p.id === myId && h("span", { class: "hint" }, " (you)"),
        h("div", { class: "hint" }, p.email, names && " · " + names)),
      roleSelect(p.role, "Role of " + p.name,
        (e) => void done(call("PATCH", path, { role: (e.target as HTMLSelectElement).value }), "Role not changed")),
      h("div", { class: "buttons" },
        button("Names…", () => showNames(p), "Names of " + p.name + " on platforms"),
        button("Access…", () => showAccess(p), "Access of " + p.name),
        button("New password…", () => void reset(p), "New password for " + p.name),
        p.id !== myId &&
          h("button", { type: "button", class: "button small danger-text", onclick: () => void remove(p),
            "aria-label": "Remove " + p.name }, "Remove…")));
  };
  const remove = async (p: Person): Promise<void> => {
    const question = "Remove " + p.name + " from the team? All of " + p.name + "’s devices are signed out at once. Messages stay.";
    if (!(await ask(question, "Remove"))) return;
    await done(call("DELETE", "/people/" + p.id), "Not removed");
  };
  const reset = async (p: Person): Promise<void> => {
    const link = await attempt(call<Link>("POST", "/people/" + p.id + "/reset"), "No link was made");
    if (link) showLink(link, "A new password for " + p.name);
    await refresh();
  };

  const invitation = (i: Invitation): HTMLElement => {
    const of = people.find((p) => p.id === i.personId);
    const text = of ? "New password for " + of.name : (i.email || "Anybody with the link") + ", " + roleName(i.role).toLowerCase();
    const withdraw = (): void => void done(call("DELETE", "/invitations/" + i.id), "Not withdrawn");
    return h("li", { class: "member" },
      h("div", { class: "member-text" }, h("b", { dir: "auto" }, text), h("div", { class: "hint" }, "Until " + fullTime(i.expiresAt))),
      button("Withdraw", withdraw, "Withdraw: " + text));
  };
  // showLink shows a link, which relay never shows again.
  const showLink = (link: Link, title: string): void => {
    const address = h("input", { class: "input code", readonly: true, value: link.url, "aria-label": title + ": link",
      onfocus: (e: Event) => (e.target as HTMLInputElement).select() });
    const copied = h("span", { class: "hint", role: "status" });
    const copy = async (): Promise<void> => {
      address.select();
      const ok = await navigator.clipboard.writeText(link.url).then(() => true, () => document.execCommand("copy"));
      copied.textContent = ok ? "Copied." : "Press Ctrl+C.";
    };
    made.replaceChildren(h("div", { class: "link-card" }, codeOf(link.qr, "QR code of the link"),
      h("div", {}, h("h3", {}, title),
        h("p", { class: "hint" },
          "Send this link to the person yourself. It works once, until " + fullTime(link.expiresAt) + ", and is not shown again."),
        reach(link.url), address, h("div", { class: "buttons" }, button("Copy link", () => void copy()), copied))));
    address.focus();
  };

  const email = h("input", { class: "input", type: "email", autocomplete: "off", maxlength: 254 });
  const role = roleSelect("operator", "");
  role.removeAttribute("aria-label");
  const inviteSaid = feedback();
  const invite = async (): Promise<void> => {
    const link = await call<Link>("POST", "/invitations", { email: email.value.trim(), role: role.value })
      .catch((error: unknown) => void inviteSaid.refused(error, { email }));
    if (!link) return;
    inviteSaid.said("");
    showLink(link, "Invitation for " + (email.value.trim() || "a colleague"));
    email.value = "";
    await refresh();
  };
  const inviting = h("form", { novalidate: true, onsubmit: (e: Event) => {
    e.preventDefault();
    void invite();
  } }, h("div", { class: "invite" }, labelled("E-mail (optional)", email), labelled("Role", role),
    h("button", { type: "submit", class: "button main" }, "Invite")), inviteSaid.nodes[1]!,
  h("p", { class: "hint" }, "Operators answer visitors. Administrators also manage settings, the team and keys, and delete permanently."));

  // showNames edits what a person is called on the platforms.
  const showNames = (p: Person): void => {
    const said = feedback();
    const fields = ["telegram", "discord", "slack"].map((bridge) => {
      const value = p.platformNames.filter((n) => n.bridge === bridge).map((n) => n.name).join(", ");
      return [bridge, h("input", { class: "input", value, autocomplete: "off", spellcheck: "false" })] as const;
    });
    const dialog = h("dialog", { class: "ask", "aria-label": "Names of " + p.name },
      h("form", { method: "dialog", onsubmit: async (e: Event) => {
        e.preventDefault();
        const platformNames = fields.flatMap(([bridge, field]) =>
          field.value.split(",").map((name) => name.trim()).filter(Boolean).map((name) => ({ bridge, name })));
        try {
          await call("PATCH", "/people/" + p.id, { platformNames });
          dialog.close();
          await refresh();
        } catch (error) {
          said.refused(error);
        }
      } }, h("h2", {}, p.name + " on other platforms"),
      h("p", { class: "hint" },
        "Answers from these accounts count as those of " + p.name +
          ". A user name or the platform’s id, on Slack the member ID; several with commas. Display names do not count: " +
          "anybody can take them."),
      ...fields.map(([bridge, field]) => labelled(platformName(bridge), field)), ...said.nodes,
      h("div", { class: "ask-row" }, h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { type: "submit", class: "button main" }, "Save"))));
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
  };

  // showAccess shows how somebody gets in, and ends it.
  const showAccess = (p: Person): void => {
    const places = signIns(p.id);
    const keys = passkeys(p.id, false);
    const endAll = async (): Promise<void> => {
      await attempt(call("DELETE", "/sign-ins?person=" + encodeURIComponent(p.id)), "Not signed out");
      await places.load();
    };
    const dialog = h("dialog", { class: "ask access", "aria-label": "Access of " + p.name },
      h("h2", {}, "Where " + p.name + " is signed in"), places.node,
      button("Sign out everywhere", () => void endAll()), h("h2", {}, "Passkeys"), keys.node,
      h("div", { class: "ask-row" }, h("button", { type: "button", class: "button main", onclick: () => dialog.close() }, "Close")));
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
    void places.load();
    void keys.load();
  };

  const withKey = signIns("key");
  const devices = everyDevice();
  return {
    node: h("div", {},
      section("People", list,
        myId ? "" : h("p", { class: "hint" }, "You use the secret key. ", h("a", { href: "#/account" }, "Create your own account"),
          " so that colleagues see who answers.")),
      section("Invite somebody", inviting, made, h("h3", {}, "Open invitations"), open),
      section("Signed in with the secret key", h("p", { class: "hint" }, "A new secret key ends all of these."), withKey.node),
      section("Notified devices", h("p", { class: "hint" }, "Notifications end with the sign-in that turned them on."), devices.node),
      audit.node),
    opened() {
      void refresh();
      void withKey.load();
      void devices.load();
      void audit.load();
    },
  };
}
