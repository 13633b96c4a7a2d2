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
  ["read", "Read and search conversations, see statistics"],
  ["write", "Answer visitors; assign, tag, snooze and close conversations"],
  ["note", "Write notes that only the team sees"],
  ["settings", "Change settings, websites, channels, knowledge and the AI"],
  ["people", "Manage people, invitations and keys, and so become an administrator"],
  ["erase", "Delete and export conversations, block visitors"],
];

// scopeBoxes are the scopes to tick.
function scopeBoxes(): { node: HTMLElement; value(): string[]; clear(): void } {
  const boxes = scopes.map(([name]) => h("input", { type: "checkbox", value: name }));
  const node = h("fieldset", { class: "site-boxes" }, h("legend", {}, "What it may do"),
    ...scopes.map(([name, words], i) => h("label", { class: "check" }, boxes[i], h("span", {}, h("b", {}, name), " – " + words))));
  return {
    node,
    value: () => boxes.filter((box) => box.checked).map((box) => box.value),
    clear: () => boxes.forEach((box) => (box.checked = false)),
  };
}

// keyCard shows a new key, which relay never shows again.
function keyCard(k: NewKey): HTMLElement {
  const title = "The key of " + k.name;
  const text = h("input", { class: "input code", readonly: true, value: k.key, "aria-label": title, onfocus: () => text.select() });
  const copied = h("span", { class: "hint", role: "status" });
  const copy = async (): Promise<void> => {
    text.select();
    const ok = await navigator.clipboard.writeText(k.key).then(() => true, () => document.execCommand("copy"));
    copied.textContent = ok ? "Copied." : "Press Ctrl+C.";
  };
  return h("div", { class: "link-card" }, h("div", {}, h("h3", { dir: "auto" }, title),
    h("p", { class: "hint" }, "Copy it into the program now: relay keeps only a hash of it and does not show it again."),
    text, h("div", { class: "buttons" }, button("Copy key", () => void copy()), copied)));
}

const reasons: Record<string, string> = {
  ended: "by hand", expired: "its time was over", removed: "its person was removed", password: "its person got a new password",
  signed_out: "its person was signed out everywhere", secret_key: "the secret key that made it was replaced",
  maker: "the key that made it ended", reused: "one of its tokens was used twice: somebody else may have had it",
  gave_up: "the program ended it",
};

function endedRow(k: Key): HTMLElement {
  const how = [
    (k.endedFor === "expired" ? "expired " : "ended ") + fullTime(k.endedAt!) + (k.endedBy ? " by " + k.endedBy : ""),
    k.endedFor !== "expired" && reasons[k.endedFor ?? ""],
    "made by " + k.madeBy + " on " + fullTime(k.createdAt),
    k.usedAt ? "last used " + fullTime(k.usedAt) : "never used",
  ].filter(Boolean).join(" · ");
  return member(k.name, k.owner ? " (token of " + k.owner + ")" : "", k.scopes.join(", ") + " · " + how);
}

// endedPart folds away the keys that work no more, and loads them when it is opened.
function endedPart(personal: boolean): HTMLDetailsElement {
  const list = h("ul", { class: "members" });
  const load = async (): Promise<void> => {
    if (!part.open) return list.replaceChildren();
    const of = personal ? "&person=" + encodeURIComponent(myId) : "";
    const found = await attempt(call<{ keys: Key[] }>("GET", "/api-keys?ended=1" + of), "The ended keys could not be loaded");
    const none = h("li", { class: "hint" }, "None within 90 days.");
    if (found) list.replaceChildren(...(found.keys.length ? found.keys.map(endedRow) : [none]));
  };
  const part: HTMLDetailsElement = h("details", { class: "more", ontoggle: () => void load() },
    h("summary", {}, personal ? "Ended tokens" : "Ended keys"), list);
  return part;
}

function row(k: Key, end: (k: Key) => void): HTMLElement {
  const expired = !!k.expiresAt && Date.parse(k.expiresAt) <= Date.now();
  const about = [
    k.redirectHost && "a program at " + k.redirectHost + ", by OAuth",
    several() && k.sites && "only " + sitesOf(k),
    "made by " + k.madeBy + " on " + fullTime(k.createdAt),
    k.usedAt ? "last used " + fullTime(k.usedAt) : "not used yet",
    k.expiresAt && (expired ? "expired " : "until ") + fullTime(k.expiresAt),
  ].filter(Boolean).join(" · ");
  const token = k.personId && k.personId !== myId ? " (personal token)" : "";
  return member(k.name, token, k.scopes.join(", ") + " · " + about, button("End…", () => end(k), "End the key " + k.name));
}

const hints = {
  team: ["For a program or an assistant: it may do what you tick here and nothing else. Keys stay when their maker leaves the team. ",
    "Personal tokens of the team are listed here too."],
  own: ["For your own scripts and assistants. They write under your name and never do more than you may. ",
    "They end when you change your password or sign out everywhere else."],
};

// withoutKey says how an assistant connects that needs no key.
function withoutKey(): HTMLElement {
  const guide = h("a", { href: "/docs/assistants", target: "_blank", rel: "noopener" }, "Assistants");
  return h("p", { class: "hint" },
    "An assistant that knows OAuth needs no key: give it the address ", h("code", {}, location.origin + "/mcp"),
    ". It asks you on a page of relay what it may do, and is listed here. ", guide);
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
    if (!(await ask("End the key “" + k.name + "”? Whatever uses it stops working at once.", "End the key"))) return;
    await attempt(call("DELETE", "/api-keys/" + k.id), "Not ended");
    await load();
  };
  const load = async (): Promise<void> => {
    const of = personal ? "?person=" + encodeURIComponent(myId) : "";
    const found = await attempt(call<{ keys: Key[] }>("GET", "/api-keys" + of), "The keys could not be loaded");
    if (!found) return;
    const rows = found.keys.map((k) => row(k, (one) => void end(one)));
    ended.open = false;
    list.replaceChildren(...(rows.length ? rows : [h("li", { class: "hint" }, "None yet.")]));
    const fresh = siteBoxes(sites.value() ?? []);
    sites.node.replaceWith(fresh.node);
    sites = fresh;
  };
  const add = async (): Promise<string> => {
    if (!chosen.value().length) throw new Error("Tick what it may do");
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
  const form = asForm(feedback(), personal ? "Make a token" : "Make a key", { name, expiresAt: expires }, add,
    labelled("Name", name, "What it is for, like “CRM sync”."), chosen.node, sites.node,
    labelled("Works until (optional)", expires));
  const guide = h("a", { href: "/docs/keys", target: "_blank", rel: "noopener" }, "Programs and keys");
  return { node: h("div", {}, h("p", { class: "hint" }, first! + second! + " ", guide), withoutKey(), list, ended, form, made), load };
}
