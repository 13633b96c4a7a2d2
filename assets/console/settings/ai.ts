// The AI: whom to ask, in which words, how long operators have before, and a test.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { confirmHost } from "./confirm";
import { actionsPart } from "./actions";
import { agentsDoor } from "./agents";
import { asking } from "./aiask";
import { aiForm } from "./aifields";
import { loadBridges } from "../net/bridges";
import { state } from "../state/store";
import type { Page } from "./page";
import { rehearsal } from "./rehearsal";
import { section } from "./settings";
import { testing } from "./testing";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

// Test is how the model answered a test question.
interface Test {
  ok: boolean;
  answer?: string;
  tokens: number;
  durationMs: number;
  error?: string;
  fix?: string;
  // confirm is the model's host in a private network that an administrator can allow.
  confirm?: string;
}

export function aiPage(): Page {
  const ai = aiForm();
  const door = agentsDoor();
  const actions = actionsPart();
  const rehearsed = rehearsal(() => today());
  const spent = h("p", { class: "hint", id: "ai-today" });
  const today = (): void => void loadBridges().then(() => (spent.textContent = use()));

  const address = (): string => ai.node.querySelector<HTMLInputElement>("[data-setting=aiBaseUrl] .input")?.value.trim() ?? "";
  ai.onconfirm = async (error) => {
    const yes = await confirmHost(address(), error.confirm!);
    if (!yes) error.fields = { aiBaseUrl: tr("This is in your own network. Save again to allow it.") };
    return yes;
  };
  // tested asks the model; a name that leads into one's own network is seen only now.
  const tested = async (): Promise<Test> => {
    const answer = await call<Test>("POST", "/ai/test", {});
    return answer.confirm && (await confirmHost(address(), answer.confirm)) ? call<Test>("POST", "/ai/test", {}) : answer;
  };
  const test = testing({
    form: ai, small: true, label: tr("Test"), waiting: tr("Waiting for the answer…"), run: async () => drawTest(await tested()),
      after: today,
  });
  ai.node.addEventListener("input", test.draw);

  return {
    node: section("AI",
      h("p", { class: "hint" },
        tr("While nobody is there, it answers from your own pages and links to its sources. " +
          "Visitors see that it is an AI and can ask for a person. "),
        h("a", { href: "/docs/ai", target: "_blank", rel: "noopener" }, tr("How it works and which data is sent"))),
      spent, ai.node, door.node, ...test.nodes, asking(today), actions.node, rehearsed.node),
    form: ai,
    show(settings) {
      test.draw();
      door.draw(settings);
    },
    opened() {
      today();
      void actions.load();
      void rehearsed.load();
    },
  };
}

// use is what the AI has used today, and why it is not answering.
function use(): string {
  const ai = state.ai;
  if (!ai || ai.state === "off") return "";
  const tokens = ai.tokensToday, most = ai.dailyTokens;
  if (ai.state === "failing") return tr("It fails: {reason}.", { reason: [ai.lastError, ai.fix].filter(Boolean).join(". ") });
  const cost = ai.costToday ? ai.costToday + ", " : "";
  const done = plural(ai.answersToday, "Today: {n} answer, {handedOver} handed over, {cost}",
    "Today: {n} answers, {handedOver} handed over, {cost}",
    { handedOver: ai.handedOverToday, cost });
  if (!ai.dailyTokens) return tr("{done}{tokens} tokens. There is no limit.", { done, tokens });
  if (ai.tokensToday >= ai.dailyTokens) {
    return tr("Today's {most} tokens are used up. It answers again tomorrow (UTC), or when you raise the limit.", { most });
  }
  return tr("{done}{tokens} of {most} tokens.", { done, tokens, most });
}

function drawTest(t: Test): HTMLElement[] {
  const tag = h("span", { class: "tag " + (t.ok ? "good" : "bad") }, t.ok ? tr("Answered") : tr("No answer"));
  const facts = " " + (t.tokens ? tr("after {ms} ms, {tokens} tokens.", { ms: t.durationMs, tokens: t.tokens })
    : tr("after {ms} ms.", { ms: t.durationMs }));
  const why = t.error ? h("p", {}, t.error) : h("blockquote", { dir: "auto" }, t.answer ?? "");
  return [h("p", {}, tag, facts), why, ...(t.fix ? [h("p", { class: "hint" }, tr("What to do: {fix}", { fix: t.fix }))] : [])];
}
