// The second step of connecting: adding the bot to a place and choosing that place.

import { siteName } from "../../state/sites";
import { h, newTab } from "../../ui/dom";
import { sentence } from "../../ui/format";
import type { BridgeKind } from "../../types";
import { codeOf } from "./marks";
import type { Place, Setup } from "./types";
import { mixed } from "../../ui/sentences";
import { tr } from "../../ui/texts";

export interface PlaceStep {
  node: HTMLElement;
  // show draws the places; fresh moves the focus to their heading.
  show(setup: Setup, fresh: boolean): void;
}

// placeStep calls choose with the id of the place that was chosen.
export function placeStep(kind: BridgeKind, choose: (id: string) => Promise<void>): PlaceStep {
  const node = h("div", { class: "step", hidden: true });
  return {
    node,
    show(s, fresh) {
      const heading = h("h3", { tabindex: "-1" }, kind.place);
      const focused = node.contains(document.activeElement) ? document.activeElement?.getAttribute("data-place") : null;
      node.replaceChildren(
        h("p", { class: "bot" }, h("span", { class: "tag good" }, tr("Token works")), " ",
          ...mixed("The bot is {name}.", { name: h("b", {}, s.bot ?? "") })),
        heading,
        ...(s.link && kind.add ? [addBot(kind, s)] : []), // others lead to making an app, which is done
        s.places.length
          ? h("ul", { class: "places" }, ...s.places.map((p) => (p.problem ? unusable(p, p.problem) : usable(kind, p, choose))))
          : h("p", { class: "waiting", role: "status" }, h("i", { class: "spinner", "aria-hidden": "true" }), kind.waiting));
      if (fresh) heading.focus();
      else if (focused) node.querySelector<HTMLElement>('[data-place="' + CSS.escape(focused) + '"]')?.focus();
    },
  };
}

function addBot(kind: BridgeKind, { link, code }: Setup): HTMLElement {
  return h("div", { class: "add-bot" },
    !!code && codeOf(code, tr("QR code of the link that adds the bot")),
    h("div", {},
      h("p", {}, kind.add),
      h("a", { class: "button main", href: link, ...newTab }, kind.addButton)));
}

const labelOf = ({ within, name }: Place): string => (within ? within + " · " : "") + name;

function unusable(p: Place, problem: string): HTMLElement {
  return h("li", {},
    h("div", {}, h("b", {}, labelOf(p)), h("p", { class: "wrong" }, sentence(problem) + "."),
      !!p.fix && h("p", { class: "hint" }, sentence(p.fix) + ".")),
    h("span", { class: "hint" }, tr("relay continues when this is done.")));
}

function usable({ use }: BridgeKind, p: Place, choose: (id: string) => Promise<void>): HTMLElement {
  const label = labelOf(p);
  const onclick = async (): Promise<void> => {
    button.ariaDisabled = "true";
    await choose(p.id);
    button.ariaDisabled = null;
  };
  const button = h("button", { type: "button", class: "button small", "data-place": p.id, "aria-label": use + " " + label, onclick }, use);
  const here = p.sites?.map((id) => siteName(id)).join(", ");
  return h("li", {}, h("div", {}, h("b", {}, label), !!here && h("p", { class: "hint" }, tr("Here already: {here}", { here }))), button);
}
