// The AI: whom to ask, in which words, how long operators have before, and a test.

import { call } from "../api";
import { h } from "../dom";
import { button, feedback, fromEnvironment, labelled, save, section, type Section, type Settings } from "./settings";

// Test is how the model answered a test question.
interface Test {
  ok: boolean;
  answer?: string;
  tokens: number;
  durationMs: number;
  error?: string;
  fix?: string;
}

type Name = Extract<keyof Settings, `ai${string}`>;
type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface Field {
  name: Name;
  variable: string;
  label: string;
  hint?: string;
  control: Control;
}

const text = (props: object = {}): HTMLInputElement => h("input", { class: "input", autocomplete: "off", spellcheck: "false", ...props });
const number = (min: number, max: number): HTMLInputElement => text({ type: "number", min, max, step: 1, inputmode: "numeric" });
const choice = (options: [string, string][]): HTMLSelectElement => h("select", { class: "input" }, ...options.map(([value, label]) => h("option", { value }, label)));

function fields(): Field[] {
  return [
    { name: "aiMode", variable: "AI_MODE", label: "What it does", control: choice([["answer", "Answers visitors while nobody is there"], ["draft", "Writes drafts, which you send"], ["off", "Nothing"]]) },
    { name: "aiBaseUrl", variable: "AI_BASE_URL", label: "Address", control: text({ type: "url", placeholder: "https://api.openai.com/v1" }), hint: "Of OpenAI, or of anything that speaks its protocol: Mistral, Groq, Azure, vLLM, Ollama. One in a private network has to be set by AI_BASE_URL." },
    { name: "aiApiKey", variable: "AI_API_KEY", label: "Key", control: text({ type: "password", autocomplete: "new-password" }), hint: "It is not shown again. Ollama needs none." },
    { name: "aiModel", variable: "AI_MODEL", label: "Model", control: text({ placeholder: "gpt-4o-mini" }) },
    { name: "aiName", variable: "AI_NAME", label: "Name that visitors see", control: text({ maxlength: 100 }), hint: "They always see beside it that it is an AI." },
    { name: "aiSystemPrompt", variable: "AI_SYSTEM_PROMPT", label: "What it should know and how it should write", control: h("textarea", { class: "input", rows: 5, maxlength: 20000 }), hint: "Your business in a few sentences. Facts belong into Knowledge: from there they come with their source." },
    { name: "aiTakeoverDelay", variable: "AI_TAKEOVER_DELAY", label: "Seconds before it answers", control: number(0, 3600), hint: "So long you have to answer first; 0 is at once." },
    { name: "aiMaxAnswers", variable: "AI_MAX_ANSWERS", label: "Most answers in a conversation", control: number(1, 1000), hint: "Then it hands over to you." },
    { name: "aiDailyTokens", variable: "AI_DAILY_TOKENS", label: "Most tokens a day", control: number(0, 2 ** 40), hint: "0 is no limit." },
    { name: "aiEmbeddingModel", variable: "AI_EMBEDDING_MODEL", label: "Model for embeddings (optional)", control: text({ placeholder: "text-embedding-3-small" }), hint: "With one, knowledge is found by meaning, too." },
  ];
}

export function aiSection(): Section {
  const said = feedback();
  const all = fields();
  const origins = new Map(all.map((f) => [f.name, h("span", { class: "hint" })]));
  const result = h("div", { "aria-live": "polite" });
  let stored: Settings | null = null;

  // valueOf is what a field holds, as the API takes it: null for nothing.
  const valueOf = ({ control }: Field): unknown => (control.type === "number" && control.value ? Number(control.value) : control.value.trim() || null);
  const patch = (): Partial<Record<Name, unknown>> => {
    const change: Partial<Record<Name, unknown>> = {};
    for (const f of all) {
      const secret = f.control.type === "password";
      const value = valueOf(f);
      if (secret ? value : value !== (stored?.[f.name] || (f.control.type === "number" ? stored?.[f.name] : null))) change[f.name] = value;
    }
    return change;
  };
  const fill = (settings: Settings): void => {
    stored = settings;
    for (const f of all) {
      const value = settings[f.name];
      if (f.control.type === "password") {
        f.control.value = "";
        (f.control as HTMLInputElement).placeholder = String(value ?? "None");
      } else f.control.value = String(value ?? "");
      origins.get(f.name)!.textContent = fromEnvironment(settings, f.name, f.variable);
    }
    label();
  };
  const label = (): void => void (test.textContent = Object.keys(patch()).length ? "Save and test" : "Test");
  const store = async (): Promise<boolean> => {
    said.said("");
    try {
      fill(await save(patch()));
      said.said("Saved.");
      return true;
    } catch (error) {
      const { message } = error as Error;
      const wrong = all.find((f) => message.startsWith(f.name));
      said.problem(wrong ? wrong.label + message.slice(wrong.name.length) : message);
      for (const f of all) f.control.setAttribute("aria-invalid", String(f === wrong));
      wrong?.control.focus();
      return false;
    }
  };
  const ask = async (): Promise<void> => {
    if (test.ariaDisabled === "true" || (Object.keys(patch()).length && !(await store()))) return;
    test.ariaDisabled = "true";
    said.said("Waiting for the answer…");
    result.replaceChildren();
    try {
      result.replaceChildren(...drawTest(await call<Test>("POST", "/ai/test", {})));
      said.said("");
    } catch (error) {
      said.problem((error as Error).message);
    }
    test.ariaDisabled = null;
  };
  const test = button("Test", ask);
  const submit = (e: Event): void => {
    e.preventDefault();
    void store();
  };
  const rows = all.map((f) => {
    const hint = h("p", { class: "hint" }, f.hint ? f.hint + " " : "", origins.get(f.name)!);
    return labelled(f.label, f.control, hint);
  });
  const form = h("form", { novalidate: true, oninput: () => label(), onsubmit: submit }, ...rows,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "button main" }, "Save AI"), test, ...said.nodes), result);

  return {
    node: section("AI",
      h("p", { class: "hint" }, "While nobody is there, it answers from your own pages and says where it read it. Visitors see that it is an AI and can ask for a person. ",
        h("a", { href: "/docs/ai", target: "_blank", rel: "noopener" }, "How it works, what is sent where")),
      form),
    show(settings) {
      if (!stored || !Object.keys(patch()).length) fill(settings);
    },
  };
}

function drawTest(t: Test): HTMLElement[] {
  const tag = h("span", { class: "tag " + (t.ok ? "good" : "bad") }, t.ok ? "Answered" : "No answer");
  const facts = " after " + t.durationMs + " ms" + (t.tokens ? ", " + t.tokens + " tokens" : "") + ".";
  const why = t.error ? h("p", {}, t.error) : h("blockquote", { dir: "auto" }, t.answer ?? "");
  return [h("p", {}, tag, facts), why, ...(t.fix ? [h("p", { class: "hint" }, "What to do: " + t.fix)] : [])];
}
