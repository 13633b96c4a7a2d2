// The card of a platform: its state in words, the next step only, and what waits or failed there.

import { call } from "../../net/api";
import { siteName } from "../../state/sites";
import { h } from "../../ui/dom";
import { sentence } from "../../ui/format";
import type { Bridge, BridgeKind, Finding } from "../../types";
import { feedback, type Feedback, type Settings } from "../settings";
import { connect } from "./connect";
import { detailsOf } from "./details";
import { disconnect } from "./disconnect";
import { findings, raw } from "./findings";
import { markOf } from "./marks";
import { press } from "./press";
import { queueOf } from "./queue";
import { known, tr } from "../../ui/texts";

export interface Card {
  node: HTMLElement;
  show(bridge: Bridge): void;
  know(settings: Settings): void;
  // rest stops what follows the platform while the page is not in view.
  rest(): void;
}

const tags: Record<Bridge["state"], [name: string, tone: string]> = {
  off: [tr("Not connected"), ""],
  starting: [tr("Starting"), ""],
  running: [tr("Connected"), "good"],
  failing: [tr("Failing"), "warn"],
  misconfigured: [tr("Does not work"), "bad"],
};

// How is what a card says of a channel: of the common one, or of one that a website has.
type How = Pick<Bridge, "state" | "lastError" | "fix" | "details">;

export function paint(tag: HTMLElement, { state: is, lastError }: How): void {
  const [name, tone] = is === "off" && lastError ? [tr("Next step"), ""] : tags[is];
  tag.textContent = name;
  tag.className = "tag " + tone;
}

export function trouble({ state: is, lastError, fix, details }: How): Node | false {
  if (!lastError || is === "off") return false; // the next step says it
  return h("div", { class: "alert" }, h("b", {}, sentence(known(lastError)) + "."), !!fix && h("p", {}, tr("What to do: {fix}", { fix })),
    raw(details));
}

// elsewhere names the websites whose conversations begin in a channel of their own, and what is wrong there.
function elsewhere({ sites = [], state, missing }: Bridge): Node[] {
  const wrong = sites.filter((s) => s.lastError).map((s) => trouble({ ...s, lastError: siteName(s.site) + ": " + s.lastError }) as Node);
  const own = sites.map((s) => siteName(s.site)).join(", ");
  const none = state !== "off" && missing.length > 0;
  return [...wrong, ...(own ? [h("p", { class: "hint" }, tr("In a channel of their own: {own}.", { own }) +
    (none ? " " + tr("There is no common channel: conversations of other websites are not shown here.") : ""))] : [])];
}

function about(kind: BridgeKind): Node {
  const guide = h("a", { href: "/docs/" + kind.name, target: "_blank", rel: "noopener" }, tr("Step by step"));
  return h("p", { class: "hint" }, kind.about + " ", guide);
}

// card shows a bridge; reload is called when something was done about it.
export function card(kind: BridgeKind, reload: () => Promise<void>): Card {
  const { name, title } = kind;
  const said = feedback();
  const heading = h("h2", { id: "bridge-" + name, tabindex: "-1" }, title);
  const focused = (): Promise<void> => reload().then(() => heading.focus());
  const steps = connect(kind, focused);
  const queue = queueOf(kind, said, reload);
  const state = h("div");
  const details = detailsOf(kind);
  const tests = testing(kind, said, reload);
  const end = disconnect(kind, said, () => {
    opened = false;
    tests.found.replaceChildren();
    return focused();
  });
  const open = press(title, said)({ text: tr("Connect"), busy: tr("Connecting…"), id: "connect-" + name, look: " main", run: async () => {
    opened = true;
    draw();
    steps.node.querySelector("input")?.focus();
  } });
  const tag = h("span", { class: "tag" });
  const head = h("div", { class: "bridge-head" }, markOf(kind.icon), heading, tag, open, tests.button, end.button);
  let bridge: Bridge | undefined;
  let opened = false;
  let shows = "";

  const draw = (): void => {
    if (!bridge) return;
    const off = bridge.state === "off";
    const connecting = off && (opened || !!bridge.lastError);
    paint(tag, bridge);
    details.show(bridge);
    tests.button.hidden = off;
    end.button.hidden = off && !bridge.lastError;
    open.hidden = !off || connecting;
    state.replaceChildren(...[trouble(bridge), ...elsewhere(bridge), ...queue(bridge), off && about(kind)].filter((node) => !!node));
    if (connecting) steps.begin();
    else steps.end();
  };
  return {
    node: h("section", { class: "panel bridge", "aria-labelledby": heading.id },
      head, state, details.node, steps.node, tests.found, end.locked, ...said.nodes),
    show(b) {
      bridge = b;
      if (shows === JSON.stringify(b)) return;
      shows = JSON.stringify(b);
      draw();
    },
    know(settings) {
      steps.know(settings);
      end.know(settings);
    },
    rest() {
      steps.end();
      shows = "";
    },
  };
}

// testing posts a test message, and shows what was found; query names the website whose channel it is for.
export function testing({ name, title }: BridgeKind, said: Feedback, reload: () => Promise<void>, query = "") {
  const found = h("div", { "aria-live": "polite" });
  const button = press(title, said)({ text: tr("Test"), busy: tr("Testing…"), id: "test-" + name, run: async () => {
    const answer = await call<{ findings: Finding[] }>("POST", "/bridges/" + name + "/test" + query, { post: true });
    found.replaceChildren(findings(answer.findings));
    await reload();
  } });
  return { button, found };
}
