// How a person gets in: the browsers that are signed in, and the passkeys.

import { made, lacking, type Creation } from "../account/webauthn";
import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import type { Fields } from "../ui/fields";
import { fullTime } from "../ui/format";
import { attempt } from "../state/store";
import { button, feedback, labelled, type Feedback } from "./settings";
import { tr } from "../ui/texts";

interface SignIn {
  id: string;
  name?: string; // with the secret key
  seenAt: string;
  agent: string;
  address: string;
  current: boolean;
}

interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  usedAt?: string;
}

interface Passkeys {
  passkeys: Passkey[];
  origin?: string;
  problem?: string;
}

// Part is a list that can be loaded.
export interface Part {
  node: HTMLElement;
  load(): Promise<void>;
}

export const input = (props: object): HTMLInputElement => h("input", { class: "input", ...props });

export const passwordField = (autocomplete: string): HTMLInputElement => input({ type: "password", autocomplete, maxlength: 1000 });

// asForm runs work when the form is sent, and says what came of it: beside the fields, if it is about them.
export function asForm(said: Feedback, label: string, fields: Fields, work: () => Promise<string>, ...children: Node[]): HTMLElement {
  const submit = h("button", { type: "submit", class: "button main" }, label);
  return h("form", { novalidate: true, onsubmit: async (e: Event) => {
    e.preventDefault();
    submit.disabled = true;
    try {
      said.said(await work());
    } catch (error) {
      said.refused(error, fields);
    }
    submit.disabled = false;
  } }, ...children, h("div", { class: "buttons" }, submit, said.nodes[0]!), said.nodes[1]!);
}

// member is a row of a list.
export const member = (name: string, note: string, about: string, ...buttons: (HTMLElement | false)[]): HTMLElement =>
  h("li", { class: "member" },
    h("div", { class: "member-text" }, h("b", { dir: "auto" }, name), note && h("span", { class: "hint" }, note),
      h("div", { class: "hint" }, about)),
    h("div", { class: "buttons" }, ...buttons));

// signIns lists where a person is signed in, or whoever used the secret key with "key".
export function signIns(person: string): Part {
  const list = h("ul", { class: "members" });
  const end = async (id: string): Promise<void> => {
    await attempt(call("DELETE", "/sign-ins/" + id), tr("Not signed out"));
    await load();
  };
  const row = (s: SignIn): HTMLElement => {
    const name = (s.name ? s.name + ", " : "") + (s.agent || tr("unknown browser"));
    return member(name, s.current ? " " + tr("(this one)") : "", s.address + " · " + tr("seen {time}", { time: fullTime(s.seenAt) }),
      !s.current && button(tr("Sign out"), () => void end(s.id), tr("Sign out {name}", { name })));
  };
  const load = async (): Promise<void> => {
    const found = await attempt(call<{ signIns: SignIn[] }>("GET", "/sign-ins?person=" + encodeURIComponent(person)),
      tr("The sign-ins could not be loaded"));
    if (found) list.replaceChildren(...(found.signIns.length ? found.signIns.map(row) : [h("li", { class: "hint" }, tr("Nowhere."))]));
  };
  return { node: list, load };
}

interface OwnedDevice {
  id: string;
  label: string;
  owner: string;
  createdAt: string;
}

// everyDevice lists the browsers that are notified, whosever they are.
export function everyDevice(): Part {
  const list = h("ul", { class: "members" });
  const end = async (id: string): Promise<void> => {
    await attempt(call("DELETE", "/push/devices/" + id), tr("Not removed"));
    await load();
  };
  const row = (d: OwnedDevice): HTMLElement => {
    const name = d.owner + ", " + (d.label || tr("unknown browser"));
    return member(name, "", tr("Since {time}", { time: fullTime(d.createdAt) }),
      button(tr("Remove"), () => void end(d.id), tr("Remove {name}", { name })));
  };
  const load = async (): Promise<void> => {
    const found = await attempt(call<{ devices: OwnedDevice[] }>("GET", "/push?person=all"), tr("The devices could not be loaded"));
    if (found) list.replaceChildren(...(found.devices.length ? found.devices.map(row) : [h("li", { class: "hint" }, tr("None yet."))]));
  };
  return { node: list, load };
}

// passkeys lists those of a person; own ones can be renamed.
export function passkeys(person: string, own: boolean, shown?: (found: Passkeys) => void): Part {
  const list = h("ul", { class: "members" });
  const change = async (work: Promise<unknown>, what: string): Promise<void> => {
    await attempt(work, what);
    await load();
  };
  const remove = async (k: Passkey): Promise<void> => {
    if (!(await ask(tr("Remove the passkey “{name}”? It can no longer sign in. Current sign-ins continue.", { name: k.name }),
      tr("Remove")))) return;
    await change(call("DELETE", "/passkeys/" + k.id), tr("Not removed"));
  };
  const rename = (k: Passkey): void => {
    const name = input({ value: k.name, maxlength: 60, "aria-label": tr("Name of the passkey") });
    const form = h("form", { class: "rename", onsubmit: (e: Event) => {
      e.preventDefault();
      void change(call("PATCH", "/passkeys/" + k.id, { name: name.value }), tr("Not renamed"));
    } }, name, h("button", { type: "submit", class: "button small" }, tr("Save")), button(tr("Cancel"), () => void load()));
    list.querySelector("[data-id='" + k.id + "']")?.replaceChildren(form);
    name.select();
  };
  const row = (k: Passkey): HTMLElement => {
    const used = k.usedAt ? tr("last used {time}", { time: fullTime(k.usedAt) }) : tr("not used yet");
    const node = member(k.name, "", tr("Since {time}", { time: fullTime(k.createdAt) }) + " · " + used,
      own && button(tr("Rename…"), () => rename(k), tr("Rename {name}", { name: k.name })),
      button(tr("Remove…"), () => void remove(k), tr("Remove the passkey {name}", { name: k.name })));
    node.dataset["id"] = k.id;
    return node;
  };
  const load = async (): Promise<void> => {
    const found = await attempt(call<Passkeys>("GET", "/passkeys?person=" + encodeURIComponent(person)),
      tr("The passkeys could not be loaded"));
    if (!found) return;
    list.replaceChildren(...(found.passkeys.length ? found.passkeys.map(row) : [h("li", { class: "hint" }, tr("None yet."))]));
    shown?.(found);
  };
  return { node: list, load };
}

// ownPasskeys also adds new ones, or says why that does not work here.
export function ownPasskeys(person: string, hasPassword: () => boolean): Part {
  const said = feedback();
  const why = h("p", { class: "hint" });
  const name = input({ maxlength: 60, autocomplete: "off", placeholder: "MacBook" });
  const password = passwordField("current-password");
  const confirm = labelled(tr("Current password"), password, tr("So that nobody else can add one while you are away."));
  const keys = passkeys(person, true, (found) => {
    why.textContent = found.problem ?? lacking(found.origin ?? "");
    form.hidden = !!why.textContent;
    confirm.hidden = !hasPassword();
  });
  const add = async (): Promise<string> => {
    const options = await call<Creation>("POST", "/passkey-challenge", { currentPassword: password.value });
    await call("POST", "/passkeys", { name: name.value, credential: await made(options) });
    name.value = password.value = "";
    await keys.load();
    return tr("Added. You can sign in with it from now on.");
  };
  const form = asForm(said, tr("Add a passkey"), { name, currentPassword: password }, add,
    labelled(tr("Name of this device (optional)"), name),
    confirm);
  form.hidden = true;
  const intro = h("p", { class: "hint" },
    tr("Sign in with your fingerprint, face or PIN instead of typing a password that a fake page could steal. " +
      "Your password keeps working."));
  return { node: h("div", {}, intro, keys.node, why, form), load: keys.load };
}
