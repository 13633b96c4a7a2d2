// One visitor who is on the website: the page, where from, since when, and a way to write first.

import { beginning } from "../contact/begin";
import { sessionPath } from "../net/api";
import { siteMark } from "../state/sites";
import { face } from "../ui/avatar";
import { h, newId, newTab, syncChildren } from "../ui/dom";
import { missing } from "../ui/fields";
import { agoTime, codeName, pagePath, webURL } from "../ui/format";
import { mixed } from "../ui/sentences";
import { tr } from "../ui/texts";

export interface Visitor {
  id: string;
  site?: string;
  name: string;
  url?: string;
  referrer?: string;
  country?: string;
  browser?: string;
  deviceType?: string;
  since: string;
  pages: string[];
  sessionId?: string;
}

export interface Row {
  node: HTMLElement;
  show(v: Visitor): void;
  // writing reports whether somebody is about to write.
  writing(): boolean;
  gone(): void;
}

const link = (url = ""): HTMLElement | string =>
  webURL(url) ? h("a", { href: webURL(url), ...newTab, title: url, dir: "auto" }, pagePath(url)) : "";

// about is all that is known, on two lines and a list.
function about(v: Visitor): HTMLElement {
  const facts = [v.country && codeName("region", v.country), v.browser, v.deviceType].filter(Boolean).join(", ");
  const before = v.pages.slice(0, -1);
  const visited = h("details", { class: "hint" }, h("summary", {}, tr("Pages before: {n}", { n: before.length })),
    h("ol", {}, ...before.map((page) => h("li", {}, link(page)))));
  return h("div", {}, h("p", {}, h("b", { dir: "auto" }, v.name), " ", siteMark(v.site) || "", " ", link(v.url)),
    h("p", { class: "hint" }, ...mixed(tr("since {time}"), { time: agoTime(v.since) }), facts && " · " + facts,
      ...(v.referrer ? [" · ", ...mixed(tr("from {page}"), { page: link(v.referrer) })] : [])),
    !!before.length && visited);
}

// form writes to the visitor.
function form(id: string, close: () => void): HTMLFormElement {
  const text = h("textarea", { class: "input", id: newId(), rows: "2", maxlength: "40000", dir: "auto", "aria-label": tr("Message") });
  const hint = h("p", { class: "hint" }, tr("It appears beside the chat button within ten seconds, and begins a conversation."));
  const { send, wrong, begin } = beginning(close);
  const submit = (e: Event): void => {
    e.preventDefault();
    if (missing([[text, tr("Write a message first.")]]) || send.disabled) return;
    void begin("/live-visitors/" + encodeURIComponent(id) + "/messages", text.value.trim());
  };
  return h("form", { onsubmit: submit }, text, hint, wrong,
    h("div", { class: "buttons" }, send, h("button", { class: "button small", type: "button", onclick: close }, tr("Cancel"))));
}

// row keeps its form while the list around it changes.
export function row(id: string): Row {
  let shown = "";
  let writer: HTMLFormElement | undefined;
  const close = (): void => {
    writer?.remove();
    writer = undefined;
    write.setAttribute("aria-expanded", "false");
    write.focus();
  };
  const open = (): void => {
    if (writer) return close();
    writer = form(id, close);
    write.setAttribute("aria-expanded", "true");
    node.append(writer);
    writer.querySelector("textarea")!.focus();
  };
  const write = h("button", { class: "button small", "aria-expanded": "false", onclick: open }, tr("Write first"));
  const node = h("li", {});
  return {
    node,
    show(v) {
      const sign = JSON.stringify(v);
      if (sign === shown) return;
      shown = sign;
      const own = v.sessionId;
      const talk = h("a", { class: "button small", href: "#" + sessionPath(own ?? "") }, tr("Open conversation"));
      const top = [face(id, v.name, "active"), about(v), own ? talk : write];
      const kept = node.contains(document.activeElement) && !writer?.contains(document.activeElement);
      syncChildren(node, [...top, ...(writer ? [writer] : [])]); // moved, a form would lose the focus
      if (kept) (own ? talk : write).focus();
    },
    writing: () => !!writer,
    gone() {
      shown = "";
      if (!node.querySelector(":scope > .tag")) write.replaceWith(h("span", { class: "tag" }, tr("Has left")));
    },
  };
}
