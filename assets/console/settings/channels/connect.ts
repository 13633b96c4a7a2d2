// Connecting a platform without a file: the next step only, until the channel works.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import type { Refusal } from "../../ui/fields";
import type { BridgeKind } from "../../types";
import { feedback, type Settings } from "../settings";
import { findings } from "./findings";
import { placeStep, type PlaceStep } from "./place";
import { tokenStep, type TokenStep, type Tokens } from "./token";
import type { Setup } from "./types";

export interface Connect {
  node: HTMLElement;
  // begin shows the next step and follows what happens on the platform; end stops that.
  begin(): void;
  end(): void;
  know(settings: Settings): void;
}

// How often it is asked whether something was done on the platform; seldom where the platform counts such calls.
const every = 2_000;
const seldom = 10_000;

// connect calls done once a channel is chosen; query names the website that it is for, whose tokens are known.
export function connect(kind: BridgeKind, done: () => Promise<void>, query = ""): Connect {
  const said = feedback();
  let timer = 0;
  let shows = "";
  let running = false;
  // following: something is awaited that happens on the platform.
  let following = false;

  // step takes a step, or with nothing looks whether one was taken on the platform.
  const step = async (body?: Tokens | { place: string }): Promise<void> => {
    clearTimeout(timer);
    try {
      draw(await call<Setup>("POST", "/bridges/" + kind.name + "/connect" + query, body ?? {}));
      if (body) said.said("");
    } catch (error) {
      if (query) said.refused(error);
      else token.refused(error as Refusal);
    }
    if (running && following) timer = setTimeout(() => void step(), kind.add ? every : seldom);
  };
  const token = tokenStep(kind, said, (tokens) => {
    shows = "";
    return step(tokens);
  });
  const steps = oneOf(token, placeStep(kind, (id) => step({ place: id })));
  const node = h("div", { class: "connect", hidden: true }, ...steps.nodes, ...said.nodes);
  const draw = (s: Setup): void => {
    const now = JSON.stringify(s);
    if (now === shows || !running) return;
    shows = now;
    following = s.step === "place";
    steps.show(s);
    if (s.step === "done") {
      end();
      void done();
    }
  };
  const end = (): void => {
    running = false;
    shows = "";
    clearTimeout(timer);
    node.hidden = true;
  };

  return {
    node,
    begin() {
      if (running) return;
      running = true;
      node.hidden = false;
      steps.restart(!query);
      void step();
    },
    end,
    know: token.know,
  };
}

// oneOf shows one of the steps, and below it what else is wrong.
function oneOf(token: TokenStep, place: PlaceStep) {
  const problems = h("div", { "aria-live": "polite" });
  return {
    nodes: [token.node, place.node, problems],
    restart(tokens: boolean): void {
      token.node.hidden = !tokens;
      place.node.hidden = true;
    },
    show(s: Setup): void {
      const fresh = place.node.hidden;
      token.node.hidden = s.step !== "token";
      place.node.hidden = s.step !== "place";
      const wrong = token.show(s);
      const others = s.findings.filter((f) => f.level !== "ok" && f !== wrong);
      problems.replaceChildren(...(others.length ? [findings(others)] : []));
      if (place.node.hidden) return;
      token.clear();
      place.show(s, fresh);
    },
  };
}
