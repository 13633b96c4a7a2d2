// The AI: whom to ask, in which words, how long operators have before, and a test.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { confirmHost } from "./confirm";
import { agentsDoor } from "./agents";
import { asking } from "./aiask";
import { area, check, choice, number, secret, text } from "./controls";
import { form, type Field } from "./form";
import { loadBridges } from "../shell/health";
import { state } from "../state/store";
import type { Page } from "./page";
import { section } from "./settings";
import { testing } from "./testing";

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

function fields(): Field[] {
  return [
    { name: "aiMode", label: "What it does",
      control: choice([
        ["answer", "Answers visitors while nobody is there"], ["draft", "Writes drafts, which you send"], ["off", "Nothing"],
      ]) },
    { name: "aiBaseUrl", label: "Address", control: text({ type: "url", placeholder: "https://api.openai.com/v1" }),
      hint: "OpenAI or any compatible API: Mistral, Groq, vLLM, Ollama … An Ollama on this machine is http://localhost:11434/v1." },
    { name: "aiApiKey", label: "Key", control: secret("None"), hint: "It is not shown again. Ollama needs none." },
    { name: "aiModel", label: "Model", control: text({ placeholder: "gpt-4o-mini" }) },
    { name: "aiName", label: "Name that visitors see", control: text({ maxlength: 100 }), hint: "Visitors always see that it is an AI." },
    { name: "aiSystemPrompt", label: "What it should know and how it should write", control: area({ rows: 5, maxlength: 20000 }),
      hint: "Your business in a few sentences. Put facts into Knowledge: answers then link to their source." },
    { name: "aiTakeoverDelay", label: "Seconds before it answers", control: number(0, 3600),
      hint: "How long your team has to answer first; 0 means immediately." },
    { name: "aiMaxAnswers", label: "Most answers in a conversation", control: number(1, 1000), hint: "Then it hands over to you." },
    { name: "aiDailyTokens", label: "Most tokens a day", control: number(0, 2 ** 40),
      hint: "Counted from midnight, UTC. 0 means no limit." },
    { name: "aiCallsPerAddress", label: "Most messages an hour from one address", control: number(0, 1_000_000),
      hint: "Your team answers the rest. 0 means no limit." },
    { name: "aiEmbeddingModel", label: "Model for embeddings (optional)", control: text({ placeholder: "text-embedding-3-small" }),
      hint: "With an embedding model, knowledge is also found by its meaning." },
    { name: "agentsEnabled", label: "Let visitors’ own AI agents in", control: check(),
      hint: "They ask your AI, leave messages and wait for your answer, within the limits of a visitor. You see that an agent writes." },
  ];
}

export function aiPage(): Page {
  const ai = form(fields());
  const door = agentsDoor();
  const spent = h("p", { class: "hint", id: "ai-today" });
  const today = (): void => void loadBridges().then(() => (spent.textContent = use()));

  const address = (): string => ai.node.querySelector<HTMLInputElement>("[data-setting=aiBaseUrl] .input")?.value.trim() ?? "";
  ai.onconfirm = async (error) => {
    const yes = await confirmHost(address(), error.confirm!);
    if (!yes) error.fields = { aiBaseUrl: "This is in your own network. Save again to allow it." };
    return yes;
  };
  // tested asks the model; a name that leads into one's own network is seen only now.
  const tested = async (): Promise<Test> => {
    const answer = await call<Test>("POST", "/ai/test", {});
    return answer.confirm && (await confirmHost(address(), answer.confirm)) ? call<Test>("POST", "/ai/test", {}) : answer;
  };
  const test = testing({
    form: ai, small: true, label: "Test", waiting: "Waiting for the answer…", run: async () => drawTest(await tested()), after: today,
  });
  ai.node.addEventListener("input", test.draw);

  return {
    node: section("AI",
      h("p", { class: "hint" },
        "While nobody is there, it answers from your own pages and links to its sources. " +
          "Visitors see that it is an AI and can ask for a person. ",
        h("a", { href: "/docs/ai", target: "_blank", rel: "noopener" }, "How it works and which data is sent")),
      spent, ai.node, door.node, ...test.nodes, asking(today)),
    form: ai,
    show(settings) {
      test.draw();
      door.draw(settings);
    },
    opened: today,
  };
}

// use is what the AI has used today, and why it is not answering.
function use(): string {
  const ai = state.ai;
  if (!ai || ai.state === "off") return "";
  const tokens = ai.tokensToday.toLocaleString(), most = ai.dailyTokens.toLocaleString();
  if (ai.state === "failing") return "It fails: " + [ai.lastError, ai.fix].filter(Boolean).join(". ") + ".";
  const done = `Today: ${ai.answersToday} ${ai.answersToday === 1 ? "answer" : "answers"}, ${ai.handedOverToday} handed over, `;
  if (!ai.dailyTokens) return `${done}${tokens} tokens. There is no limit.`;
  if (ai.tokensToday >= ai.dailyTokens) {
    return `Today's ${most} tokens are used up. It answers again tomorrow (UTC), or when you raise the limit.`;
  }
  return `${done}${tokens} of ${most} tokens.`;
}

function drawTest(t: Test): HTMLElement[] {
  const tag = h("span", { class: "tag " + (t.ok ? "good" : "bad") }, t.ok ? "Answered" : "No answer");
  const facts = " after " + t.durationMs + " ms" + (t.tokens ? ", " + t.tokens + " tokens" : "") + ".";
  const why = t.error ? h("p", {}, t.error) : h("blockquote", { dir: "auto" }, t.answer ?? "");
  return [h("p", {}, tag, facts), why, ...(t.fix ? [h("p", { class: "hint" }, "What to do: " + t.fix)] : [])];
}
