// Where one website's conversations begin on a platform: in the common channel, or in one of its own.

import { call } from "../../net/api";
import { siteName } from "../../state/sites";
import { h } from "../../ui/dom";
import type { Bridge, BridgeKind, SiteChannel } from "../../types";
import { feedback } from "../settings";
import { paint, testing, trouble } from "./card";
import { connect } from "./connect";
import { markOf } from "./marks";
import { press } from "./press";
import { tr } from "../../ui/texts";

export interface OwnCard {
  node: HTMLElement;
  show(bridge: Bridge): void;
  rest(): void;
}

const off = (title: string): string =>
  tr("{title} is not connected. Connect it for all websites first: choose “All websites” in the bar " +
    "at the top.", { title });

// begins says where conversations begin.
function begins(own: SiteChannel | undefined, bridge: Bridge): string {
  if (own) return tr("New conversations begin in a channel of its own.");
  return bridge.missing.length
    ? tr("Conversations are not shown there: there is no channel for all websites, and none for this one.")
    : tr("New conversations begin in the channel of all websites, with this website’s name.");
}

// ownCard shows it for a website; reload is called when something was done about it.
export function ownCard(kind: BridgeKind, site: string, reload: () => Promise<void>): OwnCard {
  const { name, title } = kind;
  const said = feedback();
  const query = "?site=" + encodeURIComponent(site);
  const heading = h("h2", { id: "own-" + name, tabindex: "-1" }, title);
  const tag = h("span", { class: "tag" });
  const state = h("div");
  let opened = false;
  let bridge: Bridge | undefined;
  let shows = "";
  const settled = async (): Promise<void> => {
    opened = false;
    shows = "";
    tests.found.replaceChildren();
    await reload();
    heading.focus();
  };
  const steps = connect(kind, settled, query);
  const tests = testing(kind, said, reload, query);
  const button = press(title, said);
  const choose = button({ text: tr("Choose a channel"), busy: tr("Looking…"), id: "own-connect-" + name, look: " main", run: async () => {
    opened = true;
    draw();
  } });
  const back = takenBack(button, name, site, settled);
  const draw = (): void => {
    if (!bridge) return;
    const own = bridge.sites?.find((s) => s.site === site);
    drawState(tag, state, title, bridge, own);
    choose.classList.toggle("main", !own);
    choose.hidden = bridge.state === "off" || opened;
    tests.button.hidden = back.hidden = !own || opened;
    if (opened) steps.begin();
    else steps.end();
  };
  return {
    node: h("section", { class: "panel bridge", "aria-labelledby": heading.id },
      h("div", { class: "bridge-head" }, markOf(kind.icon), heading, tag, choose, tests.button, back),
      state, steps.node, tests.found, ...said.nodes),
    show(b) {
      bridge = b;
      if (shows === JSON.stringify(b)) return;
      shows = JSON.stringify(b);
      draw();
    },
    rest() {
      steps.end();
      opened = false;
      shows = "";
    },
  };
}

function drawState(tag: HTMLElement, state: HTMLElement, title: string, bridge: Bridge, own?: SiteChannel): void {
  const missing = bridge.state === "off";
  if (own) paint(tag, own);
  else Object.assign(tag, { className: "tag", textContent: missing ? tr("Not connected") : tr("Common channel") });
  const problem = own && trouble(own);
  state.replaceChildren(h("p", { class: "hint" }, missing ? off(title) : begins(own, bridge)), ...(problem ? [problem] : []));
}

// takenBack makes the button that gives a channel of its own up.
function takenBack(button: ReturnType<typeof press>, name: string, site: string, settled: () => Promise<void>): HTMLButtonElement {
  const question = (): string => tr("Let conversations of {site} begin in the channel of all websites again? Threads that are open " +
    "stay where they are.", { site: siteName(site) });
  return button({ text: tr("Use the common channel"), busy: tr("Changing…"), question, run: async () => {
    await call("DELETE", "/bridges/" + name + "?site=" + encodeURIComponent(site));
    await settled();
  } });
}
