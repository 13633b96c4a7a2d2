// Two-step sign-in: a code of an authenticator app after the password.

import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import { fullTime } from "../ui/format";
import { attempt } from "../state/store";
import { asForm, input, passwordField, type Part } from "./access";
import { codeOf } from "./channels/marks";
import { button, feedback, labelled } from "./settings";
import { tr } from "../ui/texts";

interface TwoStep {
  on: boolean;
  since?: string;
  recoveryCodes: number;
}

interface App {
  secret: string;
  url: string;
  qr: string;
}

interface Recovery {
  recoveryCodes: string[];
}

const read = (person = ""): Promise<TwoStep | undefined> =>
  attempt(call<TwoStep>("GET", "/two-step" + (person && "?person=" + encodeURIComponent(person))),
    tr("Two-step sign-in could not be loaded"));

const left = (n: number): string => (n === 1 ? tr("1 recovery code is left.") : tr("{n} recovery codes are left.", { n }));

// grouped cuts a secret into parts that can be typed.
const grouped = (secret: string): string => secret.replace(/(.{4})(?=.)/g, "$1 ");

// recoveryCard shows new recovery codes, which relay never shows again.
function recoveryCard({ recoveryCodes }: Recovery, done: () => void): HTMLElement {
  const text = recoveryCodes.join("\n");
  const field = h("textarea", { class: "input code", readonly: true, rows: recoveryCodes.length, "aria-label": tr("Your recovery codes") });
  field.value = text;
  const copied = h("span", { class: "hint", role: "status" });
  const copy = async (): Promise<void> => {
    field.select();
    const ok = await navigator.clipboard.writeText(text).then(() => true, () => document.execCommand("copy"));
    copied.textContent = ok ? tr("Copied.") : tr("Press Ctrl+C.");
  };
  const file = h("a", { class: "button small", href: "data:text/plain," + encodeURIComponent(text + "\n"),
    download: "relay-recovery-codes.txt" }, tr("Download"));
  return h("div", { class: "link-card" }, h("div", {}, h("h3", { tabindex: -1 }, tr("Save your recovery codes")),
    h("p", { class: "hint" }, tr("Each opens your account once in place of a code, when the phone is lost. " +
      "Keep them where you keep passwords: relay stores only their hashes and does not show them again.")),
    field, h("div", { class: "buttons" }, button(tr("Copy codes"), () => void copy()), file, button(tr("I have saved them"), done),
      copied)));
}

// appCard shows the secret of a new app until a code confirms it.
function appCard(app: App, confirmed: (codes: Recovery) => void, cancel: () => void): HTMLElement {
  const code = input({ inputmode: "numeric", autocomplete: "one-time-code", maxlength: 10, spellcheck: "false" });
  const secret = h("input", { class: "input code", readonly: true, value: grouped(app.secret), onfocus: () => secret.select() });
  const turnOn = async (): Promise<string> => {
    confirmed(await call<Recovery>("POST", "/two-step/confirm", { code: code.value.trim() }));
    return "";
  };
  return h("div", { class: "link-card" }, codeOf(app.qr, tr("QR code for your authenticator app")),
    h("div", {}, h("h3", { tabindex: -1 }, tr("Scan this with your authenticator app")),
      labelled(tr("Or type this into the app"), secret),
      asForm(feedback(), tr("Turn on"), { code }, turnOn, labelled(tr("Code that the app shows"), code, tr("Six digits."))),
      h("div", { class: "buttons" }, button(tr("Cancel"), cancel))));
}

// ownTwoStep sets one's own up, or turns it off. It is for those with a password.
export function ownTwoStep(hasPassword: () => boolean): Part {
  const status = h("p", { class: "hint", role: "status" });
  const card = h("div", {});
  const password = passwordField("current-password");
  const show = (node: HTMLElement): void => {
    form.hidden = true;
    card.replaceChildren(node);
    card.querySelector("h3")?.focus();
  };
  const confirm = (): Record<string, string> => {
    const currentPassword = password.value;
    return { currentPassword };
  };
  const codes = (found: Recovery): void => {
    status.textContent = tr("On.");
    show(recoveryCard(found, () => void load()));
  };
  const begin = async (): Promise<string> => {
    show(appCard(await call<App>("POST", "/two-step", confirm()), codes, () => void load()));
    return "";
  };
  const renew = async (): Promise<string> => {
    codes(await call<Recovery>("POST", "/two-step/recovery-codes", confirm()));
    return "";
  };
  const end = async (): Promise<string> => {
    await call("POST", "/two-step/off", confirm());
    await load();
    return "";
  };
  let form: HTMLElement = h("div", {});
  const load = async (): Promise<void> => {
    const found = await read();
    if (!found) return;
    password.value = "";
    card.replaceChildren();
    status.textContent = !hasPassword() ? tr("You sign in without a password.") : found.on
      ? tr("On since {since}. {recoveryCodes}", { since: fullTime(found.since!), recoveryCodes: left(found.recoveryCodes) }) : tr("Off.");
    const field = labelled(tr("Current password"), password);
    const fresh = !hasPassword() ? h("div", {}) : found.on
      ? h("div", {}, asForm(feedback(), tr("Make new recovery codes"), { currentPassword: password }, renew, field), turnOff(end, password))
      : asForm(feedback(), tr("Set up"), { currentPassword: password }, begin, field);
    form.replaceWith(fresh);
    form = fresh;
  };
  const intro = h("p", { class: "hint" }, tr("After your password, relay asks for a code that an app on your phone shows. " +
    "Whoever learns the password cannot sign in without the phone. Passkeys and single sign-on do not ask."));
  return { node: h("div", {}, intro, status, form, card), load };
}

// turnOff is the button that turns it off, by the password in the form above.
function turnOff(end: () => Promise<string>, password: HTMLInputElement): HTMLElement {
  const said = feedback();
  const run = async (): Promise<void> => {
    try {
      said.said(await end());
    } catch (error) {
      said.refused(error, { currentPassword: password });
    }
  };
  return h("div", {}, h("div", { class: "buttons" }, button(tr("Turn off"), () => void run()), said.nodes[0]!), said.nodes[1]!);
}

// twoStepOf shows a colleague's, and turns it off when the phone is lost.
export function twoStepOf(person: string, name: string): Part {
  const status = h("p", { class: "hint" });
  const end = async (): Promise<void> => {
    if (!(await ask(tr("Turn off two-step sign-in of {name}? The password alone signs in then.", { name }), tr("Turn off")))) return;
    await attempt(call("DELETE", "/people/" + person + "/two-step"), tr("Not turned off"));
    await load();
  };
  const off = button(tr("Turn off…"), () => void end(), tr("Turn off two-step sign-in of {name}", { name }));
  const load = async (): Promise<void> => {
    const found = await read(person);
    if (!found) return;
    status.textContent = found.on ? tr("On since {since}. {recoveryCodes}",
      { since: fullTime(found.since!), recoveryCodes: left(found.recoveryCodes) }) : tr("Off.");
    off.hidden = !found.on;
  };
  off.hidden = true;
  return { node: h("div", {}, status, off), load };
}
