// Privacy: for how long conversations are kept, and what relay has of one visitor.

import { ApiError, call } from "../net/api";
import { ask } from "../ui/ask";
import { h, newId } from "../ui/dom";
import { missing } from "../ui/fields";
import { fullTime, platformName } from "../ui/format";
import { check, number } from "./controls";
import { form } from "./form";
import type { Page } from "./page";
import { outcome, section } from "./settings";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Conversation {
  id: string;
  visitorId: string;
  status: string;
  createdAt: string;
  identity?: Record<string, unknown>;
  channels: string[];
  claimed: boolean; // by what anybody can say, and others say it, too
}

interface Found {
  conversations: Conversation[];
  elsewhere: string[];
}

const list = (title: string, texts: string[]): HTMLElement =>
  h("div", {}, h("h3", {}, title), h("ul", {}, ...texts.map((text) => h("li", {}, text))));

// row shows a conversation, with a box to choose it where some are merely claimed.
function row(c: Conversation, box: HTMLInputElement | null): HTMLElement {
  const named = [c.identity?.["name"], c.identity?.["email"]].filter((text) => typeof text === "string").join(", ");
  const where = c.channels.length ? " · " + c.channels.map(platformName).join(", ") : "";
  const link = h("a", { href: "#/sessions/" + encodeURIComponent(c.id) }, fullTime(c.createdAt));
  const text = [h("span", {}, c.claimed ? tr("claims to be") + " " : "", h("bdi", {}, named || c.visitorId)),
    h("span", { class: "hint" }, " " + (c.status === "closed" ? tr("closed") : tr("open")) + where)];
  return box ? h("li", {}, h("label", { class: "check" }, box, h("span", {}, ...text)), " ", link) : h("li", {}, link, " ", ...text);
}

// choices shows the conversations that were found; where some are merely claimed, they are chosen one by one.
function choices({ conversations, elsewhere }: Found, query: () => string,
  remove: (n: number, query: string) => unknown): (Node | string)[] {
  const doubtful = conversations.some((c) => c.claimed);
  const boxes =
    new Map(conversations.map((c) => [c.id, h("input", { type: "checkbox", checked: !c.claimed, onchange: () => choose() })]));
  const erase = h("button", { class: "button danger-text", onclick: () => void remove(chosen(), query() + named()) },
    tr("Delete everywhere…"));
  const download = h("a", { class: "button", download: "" }, doubtful ? tr("Download ticked (zip)") : tr("Download all (zip)"));
  const chosen = (): number => [...boxes.values()].filter((box) => box.checked).length;
  const named = (): string => [...boxes].map(([id, box]) => (doubtful && box.checked ? "&conversation=" + encodeURIComponent(id) : ""))
    .join("");
  const choose = (): void => {
    erase.disabled = !chosen();
    download.setAttribute("aria-disabled", String(!chosen()));
    if (chosen()) download.href = "/api/admin/visitors/export" + query() + named();
    else download.removeAttribute("href");
  };
  choose();
  const warning = h("p", { class: "hint" },
    tr("Anybody can type this address or id. Tick the conversations that really are this person’s."));
  return [doubtful ? warning : "",
    h("ul", { class: "found", "aria-label": tr("Conversations") },
      ...conversations.map((c) => row(c, (doubtful && boxes.get(c.id)) || null))),
    h("div", { class: "buttons" }, download, erase), list(tr("Beyond relay’s reach"), elsewhere)];
}

// visitors finds one visitor's conversations, to export or erase them.
function visitors(): HTMLElement {
  const who = h("input", { id: newId(), class: "input", type: "search", autocomplete: "off", spellcheck: "false", maxlength: 300 });
  const { status, wrong, fail } = outcome();
  const result = h("div", {});
  const query = (): string => "?visitor=" + encodeURIComponent(who.value.trim());

  const find = async (): Promise<void> => {
    wrong.hidden = true;
    result.replaceChildren();
    if (missing([[who, tr("Enter an e-mail address or a visitor’s id.")]])) return void (status.textContent = "");
    status.textContent = tr("Searching…");
    try {
      show(await call<Found>("GET", "/visitors" + query()));
    } catch (error) {
      fail(tr("Not found"), error);
    }
  };
  const show = (found: Found): void => {
    const n = found.conversations.length;
    status.textContent = n
      ? plural(n, "{n} conversation", "{n} conversations")
      : tr("No conversations of this visitor. The visitor’s id is in a conversation’s details.");
    if (n) result.replaceChildren(...choices(found, query, remove));
  };
  const remove = async (n: number, query: string): Promise<void> => {
    const question = plural(n, "Delete {n} conversation of {who} with their files, here and on the platforms? This cannot be undone.",
      "Delete {n} conversations of {who} with their files, here and on the platforms? This cannot be undone.", { who: who.value.trim() });
    if (!(await ask(question, tr("Delete everywhere")))) return;
    status.textContent = tr("Deleting…");
    try {
      const done = await call<{ conversations: number; remains: string[] }>("DELETE", "/visitors" + query);
      status.textContent = plural(done.conversations, "Deleted: {n} conversation.", "Deleted: {n} conversations.");
      result.replaceChildren(list(tr("What remains"), done.remains));
    } catch (error) {
      fail(error instanceof ApiError && !error.status
        ? tr("The connection failed, so this may or may not be deleted: search again")
        : tr("Not deleted"), error);
    }
  };
  return section(tr("One visitor"),
    h("p", { class: "hint" }, tr("Everything relay stores about one person: download it as a zip that opens in a browser, or delete it.")),
    h("form", { class: "find", onsubmit: (e: Event) => {
      e.preventDefault();
      void find();
    } }, h("div", { class: "field" }, h("label", { for: who.id }, tr("E-mail address or visitor id")),
      h("div", { class: "beside" }, who, h("button", { class: "button main", type: "submit" }, tr("Search"))))),
    status, wrong, result);
}

export function privacyPage(): Page {
  const keeping = form([
    { name: "retentionDays", label: tr("Days without a message until a conversation is deleted"), control: number(0, 36_500),
      hint: tr("Files are deleted too. Empty or 0 keeps conversations.") },
    { name: "liveVisitors", label: tr("Show who is on the website now"), control: check(),
      hint: tr("Your team sees open pages under Visitors and can write first. No cookie, and nothing is stored.") },
    { name: "typingPreview", label: tr("Show what visitors are writing before they send it"), control: check(),
      hint: tr("Visitors see a notice below the field. Drafts appear only in the console and are not kept.") },
  ]);
  const guide = h("a", { href: "/docs/privacy", target: "_blank", rel: "noopener" }, tr("What is stored and what deleting reaches"));
  return { node: h("div", {}, section(tr("Visitors’ data"), keeping.node, guide), visitors()), form: keeping };
}
