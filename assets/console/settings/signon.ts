// Single sign-on: the provider, who may sign in there, and whether passwords still do.

import { call } from "../net/api";
import type { Finding } from "../types";
import { h } from "../ui/dom";
import { sentence } from "../ui/format";
import { findings } from "./channels/findings";
import { area, check, secret, text } from "./controls";
import { form } from "./form";
import type { Control } from "./form";
import type { Page } from "./page";
import { section } from "./settings";
import { snippetBox } from "./snippet";
import { testing } from "./testing";
import { tr } from "../ui/texts";

interface SignOnTest {
  ok: boolean;
  error?: string;
  fix?: string;
  redirectUrl: string;
  renews: boolean;
  findings: Finding[];
}

interface Group {
  group: string;
  role: string;
  sites?: string[];
}

const lines = (value: unknown): string[] => String(value ?? "").split("\n").map((line) => line.trim()).filter(Boolean);

// list is an area with a line for each value.
function list(placeholder: string, read: (line: string) => unknown, write: (value: never) => string): Control {
  const inner = area({ placeholder, spellcheck: "false" });
  return {
    ...inner,
    get: () => lines(inner.get()).map(read),
    set: (value) => inner.set(((value ?? []) as never[]).map(write).join("\n")),
  };
}

// group reads a line like "support = operator shop berlin"; what follows the role are websites.
function group(line: string): Group {
  const at = line.lastIndexOf("=");
  const [role = "", ...sites] = line.slice(at + 1).trim().split(/\s+/);
  return { group: at < 0 ? "" : line.slice(0, at).trim(), role, ...(sites.length ? { sites } : {}) };
}

const line = (g: Group): string => g.group + " = " + [g.role, ...(g.sites ?? [])].join(" ");

export function signOnPage(): Page {
  const on = form([
    { name: "oidcIssuer", label: tr("Issuer"), control: text({ type: "url", placeholder: "https://id.example.com/realms/team" }),
      hint: tr("Exactly as the provider calls itself.") },
    { name: "oidcClient", label: tr("Client ID"), control: text({ maxlength: 500 }) },
    { name: "oidcSecret", label: tr("Client secret"), control: secret(tr("None: a public client")), hint: tr("It is not shown again.") },
    { name: "oidcName", label: tr("Name on the button"), control: text({ maxlength: 40, placeholder: tr("single sign-on") }) },
    { name: "oidcDomains", label: tr("E-mail domains that may sign in"),
      control: list("example.com", (d) => d.toLowerCase(), (d: string) => d),
      hint: tr("One on each line. The provider must have verified the address.") },
    { name: "oidcGroups", label: tr("Groups that may sign in"), control: list("support = operator", group, line),
      hint: tr("One on each line: the group, =, administrator or operator, and the IDs of websites if it is not for all. " +
        "The first line that fits decides. Without groups, everybody of the domains joins as an operator.") },
    { name: "oidcGroupsClaim", label: tr("Claim with the groups"), control: text({ maxlength: 200, placeholder: "groups" }) },
    { name: "oidcScopes", label: tr("More scopes"), control: text({ placeholder: tr("None") }) },
    { name: "oidcOnly", label: tr("Only single sign-on"), control: check(),
      hint: tr("Passwords and passkeys do not sign in any more, and who is signed in with them is signed out. " +
        "The secret key always works.") },
    { name: "requireTotp", label: tr("Require two-step sign-in"), control: check(),
      hint: tr("A password needs a code of an authenticator app, too. Whoever has none sets one up right after the password. " +
        "Passkeys, single sign-on and the secret key do not ask. Who signed in by a password alone signs in again.") },
  ]);
  const test = testing({
    form: on, id: "sign-on-test", answer: "sign-on-answer", label: tr("Try sign-on"), waiting: tr("Asking the provider…"),
    run: async () => drawAnswer(await call<SignOnTest>("POST", "/sign-on/test")),
  });
  const redirect = location.origin + "/console/sign-on/return";
  return {
    node: h("div", {}, section(tr("Single sign-on"),
      h("p", { class: "hint" }, tr("Your team signs in at your own provider: Google, Microsoft, Keycloak, Authentik or another one.") + " ",
        h("a", { href: "/docs/single-sign-on", target: "_blank", rel: "noopener" }, tr("Where to click there"))),
      h("div", { class: "field" },
        h("span", { class: "label" }, tr("Redirect address")), snippetBox(tr("Copy the redirect address"), redirect).node,
        h("p", { class: "hint" }, tr("Register it at the provider, as it is."))),
      on.node, ...test.nodes)),
    form: on,
    show: () => test.draw(),
  };
}

function drawAnswer(t: SignOnTest): Node[] {
  const said = t.ok
    ? tr("The provider answers.") + " " + (t.renews ? tr("relay asks it again about who is signed in.")
      : tr("It may not let relay ask again: then people sign in again often."))
    : [t.error, t.fix].filter(Boolean).map((words) => sentence(words!)).join(" ");
  return [
    h("p", {}, h("span", { class: "tag " + (t.ok ? "good" : "bad") }, t.ok ? tr("Ready") : tr("Failed")), " " + said),
    findings(t.findings.filter((f) => f.level !== "fail" || !t.error?.startsWith(f.text))),
  ];
}
