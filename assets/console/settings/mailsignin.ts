// Signing in at the mail servers without a password: the provider, relay's client there, and the refresh token.

import { h } from "../ui/dom";
import { secret, text } from "./controls";
import type { Control, Field } from "./form";

// titles are the providers with names.
const titles: Record<string, string> = { google: "Google", microsoft: "Microsoft" };

const nameOf = (value: unknown): string => String(value ?? "").split(":")[0]!;

// provider is the control of the setting that names one: another one than those of the list is its token endpoint.
function provider(): Control {
  const kind = h("select", { class: "input", "aria-label": "How" },
    h("option", { value: "" }, "With the passwords in the addresses"),
    h("option", { value: "google" }, "Google, without a password"),
    h("option", { value: "microsoft" }, "Microsoft 365, without a password"),
    h("option", { value: "other" }, "Another provider, without a password"));
  const more = h("input", { class: "input", autocomplete: "off", spellcheck: "false" });
  const node = h("div", { class: "beside" }, kind, more);
  const draw = (): void => {
    more.hidden = kind.value !== "microsoft" && kind.value !== "other";
    more.placeholder = kind.value === "other" ? "https://id.example.com/oauth2/token" : "Any organisation";
    more.ariaLabel = kind.value === "other" ? "Token endpoint" : "Tenant, empty for any";
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

export interface SignIn {
  fields: Field[];
  // choose sets the provider, as a change that is not saved.
  choose(name: string): void;
  // block puts the fields' nodes together, with what is needed beside them.
  block(nodes: Record<string, HTMLElement>): Node;
  draw(): void;
}

export function signIn(): SignIn {
  const chosen = provider();
  const inner = h("div", {});
  const draw = (): void => void (inner.hidden = chosen.get() === null);
  chosen.node.addEventListener("input", draw);
  chosen.node.addEventListener("change", draw);
  return {
    fields: [
      { name: "mailOauth", label: "Sign in at the servers", control: chosen,
        hint: "Without a password, the addresses have the mailbox's name alone, like imaps://name@imap.example.com." },
      { name: "mailOauthClient", label: "Client ID", control: text({ maxlength: 500 }),
        hint: "Under which relay is registered at the provider. The guide has every step." },
      { name: "mailOauthSecret", label: "Client secret", control: secret("None: a public client"), hint: "It is not shown again." },
      { name: "mailOauthToken", label: "Refresh token", control: secret("Nobody has signed in yet", 8000),
        hint: "Of the mailbox, as the provider gave it. It is not shown again." },
    ],
    choose(name) {
      chosen.set(name);
      chosen.node.dispatchEvent(new Event("input", { bubbles: true }));
    },
    block(nodes) {
      inner.append(nodes["mailOauthClient"]!, nodes["mailOauthSecret"]!, nodes["mailOauthToken"]!);
      return h("div", {}, nodes["mailOauth"]!, inner);
    },
    draw,
  };
}
