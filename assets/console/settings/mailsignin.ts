// Signing in at the mail servers without a password: the provider, relay's client there, and the consent by a click.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { sentence } from "../ui/format";
import { secret, text } from "./controls";
import type { Control, Field, Form } from "./form";
import { outcome } from "./settings";
import { refresh } from "./shell";
import { snippetBox } from "./snippet";
import { testing } from "./testing";
import { tr } from "../ui/texts";

// ConsentState is whether somebody can be asked, and where the provider has to lead back to.
export interface ConsentState {
  redirectUrl?: string;
  problem?: string;
}

interface Consent {
  ok: boolean;
  error?: string;
  fix?: string;
}

// titles are the providers that have a page on which to sign in.
const titles: Record<string, string> = { google: "Google", microsoft: "Microsoft" };

const nameOf = (value: unknown): string => String(value ?? "").split(":")[0]!;

// provider is the control of the setting that names one: another one than those of the list is its token endpoint.
function provider(): Control {
  const kind = h("select", { class: "input", "aria-label": tr("How") },
    h("option", { value: "" }, tr("With the passwords in the addresses")),
    h("option", { value: "google" }, tr("Google, without a password")),
    h("option", { value: "microsoft" }, tr("Microsoft 365, without a password")),
    h("option", { value: "other" }, tr("Another provider, without a password")));
  const more = h("input", { class: "input", autocomplete: "off", spellcheck: "false" });
  const node = h("div", { class: "beside" }, kind, more);
  const draw = (): void => {
    more.hidden = kind.value !== "microsoft" && kind.value !== "other";
    more.placeholder = kind.value === "other" ? "https://id.example.com/oauth2/token" : tr("Any organisation");
    more.ariaLabel = kind.value === "other" ? tr("Token endpoint") : tr("Tenant, empty for any");
  };
  kind.addEventListener("change", draw);
  draw();
  return {
    node,
    get() {
      const given = more.value.trim();
      if (kind.value === "other") return given || "https://";
      return kind.value === "microsoft" && given ? "microsoft:" + given : kind.value || null;
    },
    set(value) {
      const whole = String(value ?? "");
      const name = nameOf(whole);
      kind.value = titles[name] || !whole ? name : "other";
      more.value = kind.value === "other" ? whole : whole.slice(name.length + 1);
      draw();
    },
    lock: (locked) => void (kind.disabled = more.disabled = locked),
  };
}

// address shows where the provider has to lead back to.
const address = (url = ""): Node[] => !url ? [] : [h("span", { class: "label" }, tr("Redirect address")),
  snippetBox(tr("Copy the redirect address"), url).node, h("p", { class: "hint" }, tr("Register it at the provider, as it is."))];

// obstacle is why nobody can sign in by a click, "" if somebody can. The provider leads back to another console than one that is
// opened elsewhere, where nobody may be signed in.
function obstacle({ problem, redirectUrl }: ConsentState): string {
  if (problem) return problem + ".";
  const there = redirectUrl ? new URL(redirectUrl).origin : "";
  return there && there !== location.origin ? tr("To sign in, open the console at {there}/console.", { there }) : "";
}

export interface SignIn {
  fields: Field[];
  // choose sets the provider, as a change that is not saved.
  choose(name: string): void;
  // block puts the fields' nodes together, with what is needed beside them.
  block(nodes: Record<string, HTMLElement>): Node;
  // attach adds the button, once there is a form whose changes it saves.
  attach(form: Form): void;
  draw(state?: ConsentState): void;
  // finish redeems what the provider sent along, if it led here.
  finish(): Promise<void>;
}

export function signIn(): SignIn {
  const chosen = provider();
  const redirect = h("div", { class: "field" });
  const consent = h("div", { id: "consent" });
  const inner = h("div", {});
  const problem = h("p", { class: "hint" });
  const said = outcome();
  let state: ConsentState = {};
  let button: ReturnType<typeof testing> | undefined;

  const title = (): string => titles[nameOf(chosen.get())] ?? "";
  const draw = (now = state): void => {
    if (now.redirectUrl !== state.redirectUrl) redirect.replaceChildren(...address(now.redirectUrl));
    state = now;
    inner.hidden = chosen.get() === null;
    redirect.hidden = consent.hidden = !title();
    button?.draw();
    problem.textContent = obstacle(state);
    for (const node of button?.nodes ?? []) node.hidden = !!problem.textContent;
  };
  chosen.node.addEventListener("input", () => draw());
  chosen.node.addEventListener("change", () => draw());
  return {
    fields: [
      { name: "mailOauth", label: tr("Sign in at the servers"), control: chosen,
        hint: tr("Without a password, the addresses have the mailbox's name alone, like imaps://name@imap.example.com.") },
      { name: "mailOauthClient", label: tr("Client ID"), control: text({ maxlength: 500 }),
        hint: tr("Under which relay is registered at the provider. The guide has every step.") },
      { name: "mailOauthSecret", label: tr("Client secret"), control: secret(tr("None: a public client")),
        hint: tr("It is not shown again.") },
      { name: "mailOauthToken", label: tr("Refresh token"), control: secret(tr("Nobody has signed in yet"), 8000),
        hint: tr("Signing in sets it. Paste one only if you got it elsewhere.") },
    ],
    choose(name) {
      chosen.set(name);
      chosen.node.dispatchEvent(new Event("input", { bubbles: true }));
    },
    block(nodes) {
      inner.append(redirect, nodes["mailOauthClient"]!, nodes["mailOauthSecret"]!, consent, nodes["mailOauthToken"]!);
      return h("div", {}, nodes["mailOauth"]!, inner);
    },
    attach(form) {
      button = testing({
        form, small: true, label: () => tr("Sign in with {title}", { title: title() }), waiting: tr("Opening the page of the provider…"),
        async run() {
          const { url } = await call<{ url: string }>("POST", "/mail/consent");
          location.assign(url);
          return [];
        },
      });
      consent.append(...button.nodes, problem, said.status, said.wrong);
      draw();
    },
    draw,
    finish: () => finish(said),
  };
}

// begins is the address to which the provider leads back.
const begins = "#/mail/consent?";

async function finish(said: ReturnType<typeof outcome>): Promise<void> {
  if (!location.hash.startsWith(begins)) return;
  const sent = new URLSearchParams(location.hash.slice(begins.length));
  history.replaceState(null, "", "#/mail");
  said.status.textContent = tr("Signing in…");
  await said.attempt(tr("Not signed in"), async () => {
    const answer = await call<Consent>("POST", "/mail/consent/redeem", {
      state: sent.get("state"), code: sent.get("code"), error: sent.get("error"), description: sent.get("error_description"),
    });
    if (!answer.ok) throw new Error([answer.error, answer.fix].filter(Boolean).map((words) => sentence(words!)).join(" "));
    said.status.textContent = tr("Signed in. Send a test, and try the way there and back.");
  });
  await refresh();
  (said.wrong.hidden ? said.status : said.wrong).scrollIntoView({ block: "center" }); // the fields are there only now
}
