// Keys of programs: those of the team, and one's own personal tokens.

import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import { fullTime } from "../ui/format";
import { myId } from "../state/me";
import { several } from "../state/sites";
import { attempt } from "../state/store";
import { asForm, input, member, type Part } from "./access";
import { button, feedback, labelled } from "./settings";
import { siteBoxes, sitesOf } from "./team/sites";
import { mixed } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Key {
  id: string;
  name: string;
  scopes: string[];
  sites?: string[];
  personId?: string;
  madeBy: string;
  createdAt: string;
  expiresAt?: string;
  usedAt?: string;
  redirectHost?: string; // of a connection
  endedAt?: string;
  endedBy?: string;
  endedFor?: string;
  owner?: string;
}

interface NewKey extends Key {
  key: string;
}

const scopes: readonly (readonly [name: string, words: string])[] = [
  ["read", tr("Read and search conversations, see statistics")],
  ["write", tr("Answer visitors; assign, tag, snooze and close conversations")],
  ["note", tr("Write notes that only the team sees")],
  ["settings", tr("Change settings, websites, channels, knowledge and the AI")],
  ["people", tr("Manage people, invitations and keys, and so become an administrator")],
  ["erase", tr("Delete and export conversations, block visitors")],
];

// scopeBoxes are the scopes to tick.
function scopeBoxes(): { node: HTMLElement; value(): string[]; clear(): void } {
  const boxes = scopes.map(([name]) => h("input", { type: "checkbox", value: name }));
  const node = h("fieldset", { class: "site-boxes" }, h("legend", {}, tr("What it may do")),
    ...scopes.map(([name, words], i) => h("label", { class: "check" }, boxes[i], h("span", {}, h("b", {}, name), " – " + words))));
  return {
    node,
    value: () => boxes.filter((box) => box.checked).map((box) => box.value),
    clear: () => boxes.forEach((box) => (box.checked = false)),
  };
}

// keyCard shows a new key, which relay never shows again.
function keyCard(k: NewKey): HTMLElement {
  const title = tr("The key of {name}", { name: k.name });
  const text = h("input", { class: "input code", readonly: true, value: k.key, "aria-label": title, onfocus: () => text.select() });
  const copied = h("span", { class: "hint", role: "status" });
  const copy = async (): Promise<void> => {
    text.select();
    const ok = await navigator.clipboard.writeText(k.key).then(() => true, () => document.execCommand("copy"));
    copied.textContent = ok ? tr("Copied.") : tr("Press Ctrl+C.");
  };
  return h("div", { class: "link-card" }, h("div", {}, h("h3", { dir: "auto" }, title),
    h("p", { class: "hint" }, tr("Copy it into the program now: relay keeps only a hash of it and does not show it again.")),
    text, h("div", { class: "buttons" }, button(tr("Copy key"), () => void copy()), copied)));
}

const reasons: Record<string, string> = {
  ended: tr("by hand"), expired: tr("its time was over"), removed: tr("its person was removed"),
    password: tr("its person got a new password"),
  signed_out: tr("its person was signed out everywhere"), secret_key: tr("the secret key that made it was replaced"),
  maker: tr("the key that made it ended"), reused: tr("one of its tokens was used twice: somebody else may have had it"),
  gave_up: tr("the program ended it"),
};

function endedRow(k: Key): HTMLElement {
  const how = [
    (k.endedFor === "expired" ? tr("expired {time}", { time: fullTime(k.endedAt!) })
      : tr("ended {time}", { time: fullTime(k.endedAt!) })) + (k.endedBy ? " " + tr("by {name}", { name: k.endedBy }) : ""),
    k.endedFor !== "expired" && reasons[k.endedFor ?? ""],
    tr("made by {name} on {time}", { name: k.madeBy, time: fullTime(k.createdAt) }),
    k.usedAt ? tr("last used {time}", { time: fullTime(k.usedAt) }) : tr("never used"),
  ].filter(Boolean).join(" · ");
  return member(k.name, k.owner ? " " + tr("(token of {owner})", { owner: k.owner }) : "", k.scopes.join(", ") + " · " + how);
}

// endedPart folds away the keys that work no more, and loads them when it is opened.
function endedPart(personal: boolean): HTMLDetailsElement {
  const list = h("ul", { class: "members" });
  const load = async (): Promise<void> => {
    if (!part.open) return list.replaceChildren();
    const of = personal ? "&person=" + encodeURIComponent(myId) : "";
    const found = await attempt(call<{ keys: Key[] }>("GET", "/api-keys?ended=1" + of), tr("The ended keys could not be loaded"));
    const none = h("li", { class: "hint" }, tr("None within 90 days."));
    if (found) list.replaceChildren(...(found.keys.length ? found.keys.map(endedRow) : [none]));
  };
  const part: HTMLDetailsElement = h("details", { class: "more", ontoggle: () => void load() },
    h("summary", {}, personal ? tr("Ended tokens") : tr("Ended keys")), list);
  return part;
}

function row(k: Key, end: (k: Key) => void): HTMLElement {
  const expired = !!k.expiresAt && Date.parse(k.expiresAt) <= Date.now();
  const about = [
    k.redirectHost && tr("a program at {redirectHost}, by OAuth", { redirectHost: k.redirectHost }),
    several() && k.sites && tr("only {sites}", { sites: sitesOf(k) }),
    tr("made by {name} on {time}", { name: k.madeBy, time: fullTime(k.createdAt) }),
    k.usedAt ? tr("last used {time}", { time: fullTime(k.usedAt) }) : tr("not used yet"),
    k.expiresAt && (expired ? tr("expired {time}", { time: fullTime(k.expiresAt) }) : tr("until {time}", { time: fullTime(k.expiresAt) })),
  ].filter(Boolean).join(" · ");
  const token = k.personId && k.personId !== myId ? " " + tr("(personal token)") : "";
  return member(k.name, token, k.scopes.join(", ") + " · " + about,
    button(tr("End…"), () => end(k), tr("End the key {name}", { name: k.name })));
}

const hints = {
  team: [tr("For a program or an assistant: it may do what you tick here and nothing else. Keys stay when their maker leaves the team.") +
    " ",
    tr("Personal tokens of the team are listed here too.")],
  own: [tr("For your own scripts and assistants. They write under your name and never do more than you may.") + " ",
    tr("They end when you change your password or sign out everywhere else.")],
};

// withoutKey says how an assistant connects that needs no key.
function withoutKey(): HTMLElement {
  const guide = h("a", { href: "/docs/assistants", target: "_blank", rel: "noopener" }, tr("Assistants"));
  return h("p", { class: "hint" },
    ...mixed("An assistant that knows OAuth needs no key: give it the address {address}. It asks you on a page of relay what it may do, " +
    "and is listed here.", { address: h("code", {}, location.origin + "/mcp") }), " ", guide);
}

// keysPart lists keys and makes new ones: one's own personal tokens, or else those of the team.
export function keysPart(personal: boolean): Part {
  const list = h("ul", { class: "members" });
  const made = h("div", { "aria-live": "polite" });
  const name = input({ maxlength: 80, autocomplete: "off" });
  const expires = input({ type: "date" });
  const chosen = scopeBoxes();
  let sites = siteBoxes();
  const ended = endedPart(personal);
  const end = async (k: Key): Promise<void> => {
    if (!(await ask(tr("End the key “{name}”? Whatever uses it stops working at once.", { name: k.name }), tr("End the key")))) return;
    await attempt(call("DELETE", "/api-keys/" + k.id), tr("Not ended"));
    await load();
  };
  const load = async (): Promise<void> => {
    const of = personal ? "?person=" + encodeURIComponent(myId) : "";
    const found = await attempt(call<{ keys: Key[] }>("GET", "/api-keys" + of), tr("The keys could not be loaded"));
    if (!found) return;
    const rows = found.keys.map((k) => row(k, (one) => void end(one)));
    ended.open = false;
    list.replaceChildren(...(rows.length ? rows : [h("li", { class: "hint" }, tr("None yet."))]));
    const fresh = siteBoxes(sites.value() ?? []);
    sites.node.replaceWith(fresh.node);
    sites = fresh;
  };
  const add = async (): Promise<string> => {
    if (!chosen.value().length) throw new Error(tr("Tick what it may do"));
    const key = await call<NewKey>("POST", "/api-keys",
      { name: name.value, scopes: chosen.value(), sites: sites.value(), expiresAt: expires.value || null, personal });
    name.value = expires.value = "";
    chosen.clear();
    const card = keyCard(key);
    made.replaceChildren(card);
    await load();
    card.querySelector("input")?.focus();
    return "";
  };
  const [first, second] = hints[personal ? "own" : "team"];
  const form = asForm(feedback(), personal ? tr("Make a token") : tr("Make a key"), { name, expiresAt: expires }, add,
    labelled(tr("Name"), name, tr("What it is for, like “CRM sync”.")), chosen.node, sites.node,
    labelled(tr("Works until (optional)"), expires));
  const guide = h("a", { href: "/docs/keys", target: "_blank", rel: "noopener" }, tr("Programs and keys"));
  return { node: h("div", {}, h("p", { class: "hint" }, first! + second! + " ", guide), withoutKey(), list, ended, form, made), load };
}
