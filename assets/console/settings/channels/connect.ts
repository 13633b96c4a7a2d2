// Connecting a platform without a file: the next step only, until the channel works.

import { call } from "../../net/api";
import { h, newTab } from "../../ui/dom";
import { mark, missing, type Refusal } from "../../ui/fields";
import { sentence } from "../../ui/format";
import type { BridgeKind, BridgeToken, Finding } from "../../types";
import { feedback, labelled, type Settings } from "../settings";
import { findings } from "./findings";
import { codeOf } from "./marks";

interface Place {
  id: string;
  name: string;
  within?: string;
  problem?: string;
  fix?: string;
}

interface Setup {
  step: "token" | "place" | "done";
  bot?: string;
  link?: string;
  code?: string;
  places: Place[];
  findings: Finding[];
}

export interface Connect {
  node: HTMLElement;
  // begin shows the next step and follows what happens on the platform; end stops that.
  begin(): void;
  end(): void;
  know(settings: Settings): void;
}

const every = 2_000;

// Entry is the field of a token.
interface Entry extends BridgeToken {
  input: HTMLInputElement;
}

// hintOf puts the link into a hint.
function hintOf({ hint, link }: BridgeToken): HTMLElement {
  const [before, after = ""] = hint.split("{link}");
  return h("p", { class: "hint" }, before, link && h("a", { href: link.url, ...newTab }, link.text), after);
}

export function connect(kind: BridgeKind, done: () => Promise<void>): Connect {
  const { name, title } = kind;
  const said = feedback();
  const entries: Entry[] = kind.tokens.map((t) => ({ ...t, input: h("input", { class: "input code", type: "password", autocomplete: "off",
    spellcheck: "false", maxlength: 1004, required: true, placeholder: t.placeholder, oninput: () => void pasted(t) }) }));
  const [bot, app] = entries as [Entry, Entry?];
  const enter = h("button", { type: "submit", class: "button main" }, "Connect");
  const stepToken = h("form", { class: "step", novalidate: true, onsubmit: (e: Event) => {
    e.preventDefault();
    void submit();
  } });
  const stepPlace = h("div", { class: "step", hidden: true });
  const problems = h("div", { "aria-live": "polite" });
  const create = h("a", { class: "button", ...newTab }, "Create the app");
  const node = h("div", { class: "connect", hidden: true }, stepToken, stepPlace, problems, ...said.nodes);
  let timer = 0;
  let shows = "";
  let running = false;
  // following: something is awaited that happens on the platform.
  let following = false;

  const made = h("div", { class: "field" }, create, h("p", { class: "hint" }, kind.make));
  stepToken.append(...(kind.make ? [made] : []), ...entries.map((e) => labelled(e.label, e.input, hintOf(e))),
    h("div", { class: "buttons" }, enter));

  // pasted goes on by itself once a whole token was pasted.
  const pasted = ({ whole }: BridgeToken): void => {
    said.said("");
    if (whole && new RegExp(whole).test(bot.input.value.trim())) void submit();
  };
  const submit = async (): Promise<void> => {
    if (missing(entries.map((e) => [e.input, "Paste the token here."] as const))) return;
    if (enter.ariaDisabled === "true") return;
    enter.ariaDisabled = "true";
    said.said("Asking " + title + "…");
    shows = "";
    await step({ token: bot.input.value.trim(), appToken: app?.input.value.trim() });
    enter.ariaDisabled = null;
  };
  // wrongToken says of a text that cannot be a token what one looks like.
  const wrongToken = (error: Refusal): void => {
    const fields = { ...error.fields };
    for (const e of entries) if (fields[e.setting]) fields[e.setting] = e.wrong + " " + e.looks;
    said.refused(Object.assign(new Error(error.message), error.fields && { fields }),
      Object.fromEntries(entries.map((e) => [e.setting, e.input])));
  };
  // step takes a step, or with nothing looks whether one was taken on the platform.
  const step = async (body: object = {}): Promise<void> => {
    clearTimeout(timer);
    try {
      draw(await call<Setup>("POST", "/bridges/" + name + "/connect", body));
      if (Object.keys(body).length) said.said("");
    } catch (error) {
      wrongToken(error as Refusal);
    }
    if (running && following) timer = setTimeout(() => void step(), every);
  };
  const draw = (s: Setup): void => {
    const now = JSON.stringify(s);
    if (now === shows || !running) return;
    const before = (shows ? JSON.parse(shows) : {}) as Partial<Setup>;
    shows = now;
    following = s.step === "place";
    stepToken.hidden = s.step !== "token";
    stepPlace.hidden = s.step !== "place";
    if (s.link) create.setAttribute("href", s.link);
    // What is wrong with a token stands at its field, whose hint says where to copy it.
    const refusedToken = s.step === "token" && bot.input.value
      ? s.findings.find((f) => f.level === "fail" && /token/.test(f.text)) : undefined;
    const others = s.findings.filter((f) => f.level !== "ok" && f !== refusedToken);
    if (refusedToken) {
      const { input, looks } = app && /app/i.test(refusedToken.subject) ? app : bot;
      mark(input, sentence(refusedToken.text) + ". Copy it again: " + looks);
      input.focus();
    }
    problems.replaceChildren(...(others.length ? [findings(others)] : []));
    if (s.step === "place") {
      for (const e of entries) e.input.value = "";
      drawPlace(s, before.step !== "place");
    }
    if (s.step === "done") {
      end();
      void done();
    }
  };
  const drawPlace = (s: Setup, fresh: boolean): void => {
    const heading = h("h3", { tabindex: "-1" }, kind.place);
    const focused = stepPlace.contains(document.activeElement) ? document.activeElement?.getAttribute("data-place") : null;
    stepPlace.replaceChildren(
      h("p", { class: "bot" }, h("span", { class: "tag good" }, "Token works"), " The bot is ", h("b", {}, s.bot ?? ""), "."),
      heading,
      ...(s.link && kind.add ? [addBot(s)] : []), // others lead to making an app, which is done
      s.places.length
        ? h("ul", { class: "places" }, ...s.places.map(drawOne))
        : h("p", { class: "waiting", role: "status" }, h("i", { class: "spinner", "aria-hidden": "true" }), kind.waiting));
    if (fresh) heading.focus();
    else if (focused) stepPlace.querySelector<HTMLElement>('[data-place="' + CSS.escape(focused) + '"]')?.focus();
  };
  const addBot = (s: Setup): HTMLElement =>
    h("div", { class: "add-bot" },
      !!s.code && codeOf(s.code, "QR code of the link that adds the bot"),
      h("div", {},
        h("p", {}, kind.add),
        h("a", { class: "button main", href: s.link, ...newTab }, kind.addButton)));
  const drawOne = (p: Place): HTMLElement => {
    const label = (p.within ? p.within + " · " : "") + p.name;
    if (p.problem) {
      return h("li", {}, h("div", {}, h("b", {}, label), h("p", { class: "wrong" }, sentence(p.problem) + "."),
        !!p.fix && h("p", { class: "hint" }, sentence(p.fix) + ".")),
        h("span", { class: "hint" }, "relay continues when this is done."));
    }
    const choose = h("button", { type: "button", class: "button small", "data-place": p.id,
      "aria-label": kind.use + " " + label, onclick: async () => {
        choose.ariaDisabled = "true";
        await step({ place: p.id });
        choose.ariaDisabled = null;
      } }, kind.use);
    return h("li", {}, h("b", {}, label), choose);
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
      stepToken.hidden = false;
      stepPlace.hidden = true;
      void step();
    },
    end,
    know(settings) {
      bot.input.placeholder = String(settings[bot.setting] ?? "");
    },
  };
}
