// Connecting a platform without a file: the next step only, until the channel works.

import { call } from "../../net/api";
import { h, newTab } from "../../ui/dom";
import { mark, missing, type Refusal } from "../../ui/fields";
import { platformName, sentence } from "../../ui/format";
import type { Finding } from "../../types";
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

interface Words {
  token: string;
  tokenHint: (Node | string)[];
  setting: string;
  place: string;
  waiting: string;
  wants: RegExp;
  // looks is what a token looks like.
  looks: string;
}

const out = (href: string, text: string): HTMLElement => h("a", { href, ...newTab }, text);

const words: Record<string, Words> = {
  telegram: {
    token: "Bot token", setting: "telegramBotToken", wants: /^\d+:[\w-]{20,}$/,
    looks: "It looks like 123456789:AAE…, with digits before the colon.",
    tokenHint: ["In Telegram, write /newbot to ", out("https://t.me/BotFather", "@BotFather"),
      ", choose a name, and paste the token that it sends you."],
    place: "Add the bot to a group",
    waiting: "Waiting for the bot to be added to a group…",
  },
  discord: {
    token: "Bot token", setting: "discordBotToken", wants: /^[\w.-]{40,}$/,
    looks: "It is a long text of letters and digits with two dots in it.",
    tokenHint: ["At ", out("https://discord.com/developers/applications", "Discord’s developer portal"),
      ", make an application. Under Bot, switch on Message Content Intent, press Reset Token, and paste the token."],
    place: "Choose a channel",
    waiting: "Waiting for the bot to join your server…",
  },
  slack: {
    token: "Bot User OAuth Token (xoxb-…)", setting: "slackBotToken", wants: /^xoxb-./, looks: "It begins with xoxb-.",
    tokenHint: ["Under Install App, install it, and copy this token."],
    place: "Choose a channel",
    waiting: "Waiting for a channel that the app can see…",
  },
};

const every = 2_000;

export function connect(name: string, done: () => Promise<void>): Connect {
  const title = platformName(name);
  const say = words[name]!;
  const slack = name === "slack";
  const said = feedback();
  const token = h("input", { class: "input code", type: "password", autocomplete: "off", spellcheck: "false", maxlength: 1004,
    required: true, oninput: () => void pasted() });
  const app = h("input", { class: "input code", type: "password", autocomplete: "off", spellcheck: "false", maxlength: 1000, required: true,
    placeholder: "xapp-…" });
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

  const tokenField = labelled(say.token, token, h("p", { class: "hint" }, ...say.tokenHint));
  const appField = labelled("App-Level Token (xapp-…)", app,
    "Under Basic Information → App-Level Tokens, make one with the scope connections:write.");
  const madeField = h("div", { class: "field" }, create,
    h("p", { class: "hint" }, "Slack opens with everything filled in: choose your workspace, press Next and Create."));
  stepToken.append(...(slack ? [madeField, tokenField, appField] : [tokenField]), h("div", { class: "buttons" }, enter));

  // pasted goes on by itself once a whole token was pasted.
  const pasted = (): void => {
    said.said("");
    if (!slack && say.wants.test(token.value.trim())) void submit();
  };
  const submit = async (): Promise<void> => {
    if (missing([[token, "Paste the token here."], ...(slack ? [[app, "Paste the token here."] as const] : [])])) return;
    if (enter.ariaDisabled === "true") return;
    enter.ariaDisabled = "true";
    said.said("Asking " + title + "…");
    shows = "";
    await step({ token: token.value.trim(), ...(slack ? { appToken: app.value.trim() } : {}) });
    enter.ariaDisabled = null;
  };
  // wrongToken says of a text that cannot be a token what one looks like.
  const wrongToken = (error: Refusal): void => {
    const fields = { ...error.fields };
    if (fields[say.setting]) fields[say.setting] = "That doesn’t look like a bot token. " + say.looks;
    if (fields["slackAppToken"]) fields["slackAppToken"] = "That doesn’t look like an app-level token. It begins with xapp-.";
    said.refused(Object.assign(new Error(error.message), error.fields && { fields }), { [say.setting]: token, slackAppToken: app });
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
    const refusedToken = s.step === "token" && token.value ? s.findings.find((f) => f.level === "fail" && /token/.test(f.text)) : undefined;
    const others = s.findings.filter((f) => f.level !== "ok" && f !== refusedToken);
    if (refusedToken) {
      const field = slack && /app/i.test(refusedToken.subject) ? app : token;
      mark(field, sentence(refusedToken.text) + ". Copy it again: " + say.looks);
      field.focus();
    }
    problems.replaceChildren(...(others.length ? [findings(others)] : []));
    if (s.step === "place") {
      token.value = app.value = "";
      drawPlace(s, before.step !== "place");
    }
    if (s.step === "done") {
      end();
      void done();
    }
  };
  const drawPlace = (s: Setup, fresh: boolean): void => {
    const heading = h("h3", { tabindex: "-1" }, say.place);
    const focused = stepPlace.contains(document.activeElement) ? document.activeElement?.getAttribute("data-place") : null;
    stepPlace.replaceChildren(
      h("p", { class: "bot" }, h("span", { class: "tag good" }, "Token works"), " The bot is ", h("b", {}, s.bot ?? ""), "."),
      heading,
      ...(s.link && !slack ? [addBot(s)] : []), // Slack’s leads to making an app, which is done
      s.places.length
        ? h("ul", { class: "places" }, ...s.places.map(drawOne))
        : h("p", { class: "waiting", role: "status" }, h("i", { class: "spinner", "aria-hidden": "true" }), say.waiting));
    if (fresh) heading.focus();
    else if (focused) stepPlace.querySelector<HTMLElement>('[data-place="' + CSS.escape(focused) + '"]')?.focus();
  };
  const addBot = (s: Setup): HTMLElement =>
    h("div", { class: "add-bot" },
      !!s.code && codeOf(s.code, "QR code of the link that adds the bot"),
      h("div", {},
        h("p", {}, name === "telegram"
          ? "Scan this with your phone, or open the link here: Telegram asks for a group and gives the bot its rights there. " +
            "relay sees the group by itself."
          : "Open the link to add the bot to your server, with exactly the permissions that it needs."),
        h("a", { class: "button main", href: s.link, ...newTab }, name === "telegram" ? "Open Telegram" : "Invite the bot")));
  const drawOne = (p: Place): HTMLElement => {
    const label = (p.within ? p.within + " · " : "") + p.name;
    if (p.problem) {
      return h("li", {}, h("div", {}, h("b", {}, label), h("p", { class: "wrong" }, sentence(p.problem) + "."),
        !!p.fix && h("p", { class: "hint" }, sentence(p.fix) + ".")),
        h("span", { class: "hint" }, "relay continues when this is done."));
    }
    const choose = h("button", { type: "button", class: "button small", "data-place": p.id,
      "aria-label": (slack ? "Join " : "Use ") + label, onclick: async () => {
        choose.ariaDisabled = "true";
        await step({ place: p.id });
        choose.ariaDisabled = null;
      } }, slack ? "Join" : "Use");
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
      token.placeholder = String(settings[say.setting] ?? "");
    },
  };
}
