// The findings of a channel's check, each with its fix.

import { h } from "../../ui/dom";
import { sentence } from "../../ui/format";
import type { Finding } from "../../types";
import { known, tr } from "../../ui/texts";

const levels: Record<Finding["level"], [name: string, tone: string]> = {
  ok: ["OK", "good"], warn: [tr("Check"), "warn"], fail: [tr("Problem"), "bad"],
};

// raw folds away an error as programs say it.
export function raw(details?: string): Node | false {
  return !!details && h("details", { class: "raw" }, h("summary", {}, tr("Details")), h("code", {}, details));
}

export function findings(list: readonly Finding[]): HTMLElement {
  return h("ul", { class: "findings" }, ...list.map((f) => {
    const [name, tone] = levels[f.level];
    const fix = f.level !== "ok" && f.fix && h("p", { class: "hint" }, tr("What to do: {fix}", { fix: f.fix }));
    return h("li", {}, h("span", { class: "tag " + tone }, name), " " + sentence(f.subject) + ": " + known(f.text), fix, raw(f.details));
  }));
}
