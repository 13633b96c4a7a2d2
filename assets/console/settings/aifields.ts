// The settings of the AI in three groups: whom it asks, what it says, and when.

import { h } from "../ui/dom";
import { area, check, choice, list, number, secret, text } from "./controls";
import { form, type Control, type Field, type Form } from "./form";
import { button, everywhere, labelled } from "./settings";

// Provider is where models are asked: its address, one of its models, and where its keys are made.
interface Provider {
  name: string;
  address: string;
  model: string;
  key: string;
}

const providers: readonly Provider[] = [
  { name: "OpenAI", address: "https://api.openai.com/v1", model: "gpt-4o-mini", key: "platform.openai.com → API keys" },
  { name: "Mistral", address: "https://api.mistral.ai/v1", model: "mistral-small-latest", key: "console.mistral.ai → API keys" },
  { name: "Anthropic", address: "https://api.anthropic.com/v1", model: "claude-haiku-4-5", key: "console.anthropic.com → API keys" },
  { name: "Groq", address: "https://api.groq.com/openai/v1", model: "llama-3.3-70b-versatile", key: "console.groq.com → API keys" },
  { name: "Ollama on this machine", address: "http://localhost:11434/v1", model: "llama3.1", key: "" },
];

const asked = (address: Control, model: Control): Field[] => [
  { name: "aiMode", label: "What it does",
    control: choice([
      ["answer", "Answers visitors while nobody is there"],
      ["rehearse", "Rehearses beside you, and answers only topics that it has earned"],
      ["draft", "Writes drafts, which you send"], ["off", "Nothing"],
    ]) },
  { name: "aiBaseUrl", label: "Address", control: address,
    hint: "OpenAI or any compatible API: Mistral, Groq, vLLM, Ollama … An Ollama on this machine is http://localhost:11434/v1." },
  { name: "aiApiKey", label: "Key", control: secret("None"), hint: "It is not shown again. Ollama needs none." },
  { name: "aiModel", label: "Model", control: model },
  { name: "aiEmbeddingModel", label: "Model for embeddings (optional)", control: text({ placeholder: "text-embedding-3-small" }),
    hint: "With an embedding model, knowledge is also found by its meaning." },
];

const said = (): Field[] => [
  { name: "aiName", label: "Name that visitors see", control: text({ maxlength: 100 }), hint: "Visitors always see that it is an AI." },
  { name: "aiSystemPrompt", label: "What it should know and how it should write", control: area({ rows: 5, maxlength: 20000 }),
    hint: "Your business in a few sentences. Put facts into Knowledge: answers then link to their source." },
  { name: "aiTone", label: "Tone",
    control: choice([["neutral", "Neutral"], ["friendly", "Friendly"], ["formal", "Formal"], ["brief", "Brief"]]) },
  { name: "aiOpening", label: "Before its first answer (optional)",
    control: text({ maxlength: 300, placeholder: "Hi, I am the shop’s assistant." }) },
  { name: "aiHandOver", label: "When it hands over (optional)",
    control: text({ maxlength: 300, placeholder: "Mia or Ben will answer you here." }),
    hint: "Empty: “A colleague will answer here.”, in the visitor’s language." },
];

const limits = (): Field[] => [
  { name: "aiTakeoverDelay", label: "Seconds before it answers", control: number(0, 3600),
    hint: "How long your team has to answer first; 0 means immediately. To let it answer although somebody is there, " +
      "add a step to Hours → When nobody answers." },
  { name: "aiTopics", label: "Topics that always go to a person", control: list({ placeholder: "refund, complaint, allergy" }),
    hint: "Words or phrases, separated by commas, in each language that your visitors write." },
  { name: "aiMaxAnswers", label: "Most answers in a conversation", control: number(1, 1000), hint: "Then it hands over to you." },
  { name: "aiDailyTokens", label: "Most tokens a day", control: number(0, 2 ** 40),
    hint: "Counted from midnight, UTC. 0 means no limit." },
  { name: "aiTokenPrice", label: "Price of a million tokens (optional)", control: text({ maxlength: 20, placeholder: "0.60 €" }),
    hint: "From your provider’s price list, as an average of input and output: then relay shows what a day costs." },
  { name: "aiCallsPerAddress", label: "Most messages an hour from one address", control: number(0, 1_000_000),
    hint: "Your team answers the rest. 0 means no limit." },
  { name: "aiActionsPerDay", label: "Most actions a day", control: number(0, 1_000_000),
    hint: "Requests to your own servers, which you declare below. 0 means none." },
  { name: "agentsEnabled", label: "Let visitors’ own AI agents in", control: check(),
    hint: "They ask your AI, leave messages and wait for your answer, within the limits of a visitor. You see that an agent writes." },
  { name: "assistantName", label: "Name above what your own assistants write (optional)",
    control: text({ maxlength: 100, placeholder: "{name}’s assistant" }),
    hint: "It tells visitors that an assistant (MCP) wrote. {name} is the person or key that it works for; without it, that name alone." },
];

// picker fills in a provider's address, and a model where there is none.
function picker(address: Control, model: Control): HTMLElement {
  const provider = h("select", { class: "input" },
    h("option", { value: "" }, "Choose…"), ...providers.map((one, i) => h("option", { value: i }, one.name)));
  const hint = h("p", { class: "hint" });
  const chosen = (): Provider | undefined => providers[Number(provider.value || NaN)];
  const fill = button("Fill in", () => {
    const one = chosen()!;
    address.set(one.address);
    model.set(one.model);
    address.node.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const draw = (): void => {
    const one = chosen();
    fill.disabled = !one;
    const key = one?.key ? "Its keys: " + one.key + "." : "It needs no key. Load the model first: ollama pull " + one?.model;
    hint.textContent = one ? key : "";
  };
  provider.addEventListener("change", draw);
  draw();
  return h("details", {}, h("summary", {}, "Fill in by provider"),
    labelled("Provider", provider), hint, h("div", { class: "buttons" }, fill));
}

export function aiForm(): Form {
  const address = text({ type: "url", placeholder: "https://api.openai.com/v1" }), model = text({ placeholder: "gpt-4o-mini" });
  const groups = [asked(address, model), said(), limits()];
  return form(groups.flat(), (nodes) => {
    const [[mode, ...whom], words, when] = groups.map((fields) => fields.map((field) => nodes[field.name]!)) as
      [HTMLElement[], HTMLElement[], HTMLElement[]];
    return [
      h("h3", {}, "Role and provider"), mode!, ...(everywhere ? [picker(address, model)] : []), ...whom,
      h("h3", {}, "What it says"), ...words,
      h("h3", {}, "When, and how much"), ...when,
    ];
  });
}
