// The settings of the AI in three groups: whom it asks, what it says, and when.

import { h } from "../ui/dom";
import { area, check, choice, list, number, secret, text } from "./controls";
import { form, type Control, type Field, type Form } from "./form";
import { button, everywhere, labelled } from "./settings";
import { tr } from "../ui/texts";

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
  { name: tr("Ollama on this machine"), address: "http://localhost:11434/v1", model: "llama3.1", key: "" },
];

const asked = (address: Control, model: Control): Field[] => [
  { name: "aiMode", label: tr("What it does"),
    control: choice([
      ["answer", tr("Answers visitors while nobody is there")],
      ["rehearse", tr("Rehearses beside you, and answers only topics that it has earned")],
      ["draft", tr("Writes drafts, which you send")], ["off", tr("Nothing")],
    ]) },
  { name: "aiBaseUrl", label: tr("Address"), control: address,
    hint: tr("OpenAI or any compatible API: Mistral, Groq, vLLM, Ollama … An Ollama on this machine is http://localhost:11434/v1.") },
  { name: "aiApiKey", label: tr("Key"), control: secret(tr("None")), hint: tr("It is not shown again. Ollama needs none.") },
  { name: "aiModel", label: tr("Model"), control: model },
  { name: "aiEmbeddingModel", label: tr("Model for embeddings (optional)"), control: text({ placeholder: "text-embedding-3-small" }),
    hint: tr("With an embedding model, knowledge is also found by its meaning.") },
];

const said = (): Field[] => [
  { name: "aiName", label: tr("Name that visitors see"), control: text({ maxlength: 100 }),
    hint: tr("Visitors always see that it is an AI.") },
  { name: "aiSystemPrompt", label: tr("What it should know and how it should write"), control: area({ rows: 5, maxlength: 20000 }),
    hint: tr("Your business in a few sentences. Put facts into Knowledge: answers then link to their source.") },
  { name: "aiTone", label: tr("Tone"),
    control: choice([["neutral", tr("Neutral")], ["friendly", tr("Friendly")], ["formal", tr("Formal")], ["brief", tr("Brief")]]) },
  { name: "aiOpening", label: tr("Before its first answer (optional)"),
    control: text({ maxlength: 300, placeholder: tr("Hi, I am the shop’s assistant.") }) },
  { name: "aiHandOver", label: tr("When it hands over (optional)"),
    control: text({ maxlength: 300, placeholder: tr("Mia or Ben will answer you here.") }),
    hint: tr("Empty: “A colleague will answer here.”, in the visitor’s language.") },
];

const limits = (): Field[] => [
  { name: "aiTakeoverDelay", label: tr("Seconds before it answers"), control: number(0, 3600),
    hint: tr("How long your team has to answer first; 0 means immediately. To let it answer although somebody is there, " +
      "add a step to Hours → When nobody answers.") },
  { name: "aiTopics", label: tr("Topics that always go to a person"), control: list({ placeholder: tr("refund, complaint, allergy") }),
    hint: tr("Words or phrases, separated by commas, in each language that your visitors write.") },
  { name: "aiMaxAnswers", label: tr("Most answers in a conversation"), control: number(1, 1000), hint: tr("Then it hands over to you.") },
  { name: "aiTopicRow", label: tr("Right answers in a row that a topic needs"), control: number(1, 100),
    hint: tr("While it rehearses: then it asks whether it may answer this topic by itself.") },
  { name: "aiDailyTokens", label: tr("Most tokens a day"), control: number(0, 2 ** 40),
    hint: tr("Counted from midnight, UTC. 0 means no limit.") },
  { name: "aiTokenPrice", label: tr("Price of a million tokens (optional)"), control: text({ maxlength: 20, placeholder: "0.60 €" }),
    hint: tr("From your provider’s price list, as an average of input and output: then relay shows what a day costs.") },
  { name: "aiCallsPerAddress", label: tr("Most messages an hour from one address"), control: number(0, 1_000_000),
    hint: tr("Your team answers the rest. 0 means no limit.") },
  { name: "aiActionsPerDay", label: tr("Most actions a day"), control: number(0, 1_000_000),
    hint: tr("Requests to your own servers, which you declare below. 0 means none.") },
  { name: "agentsEnabled", label: tr("Let visitors’ own AI agents in"), control: check(),
    hint: tr("They ask your AI, leave messages and wait for your answer, within the limits of a visitor. You see that an agent writes.") },
  { name: "assistantName", label: tr("Name above what your own assistants write (optional)"),
    control: text({ maxlength: 100, placeholder: tr("{name}’s assistant") }),
    hint: tr("It tells visitors that an assistant (MCP) wrote. {name} is the person or key that it works for; " +
      "without it, that name alone.") },
];

// picker fills in a provider's address, and a model where there is none.
function picker(address: Control, model: Control): HTMLElement {
  const provider = h("select", { class: "input" },
    h("option", { value: "" }, tr("Choose…")), ...providers.map((one, i) => h("option", { value: i }, one.name)));
  const hint = h("p", { class: "hint" });
  const chosen = (): Provider | undefined => providers[Number(provider.value || NaN)];
  const fill = button(tr("Fill in"), () => {
    const one = chosen()!;
    address.set(one.address);
    model.set(one.model);
    address.node.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const draw = (): void => {
    const one = chosen();
    fill.disabled = !one;
    const key = one?.key ? tr("Its keys: {key}.", { key: one.key })
      : tr("It needs no key. Load the model first: ollama pull {model}", { model: one?.model });
    hint.textContent = one ? key : "";
  };
  provider.addEventListener("change", draw);
  draw();
  return h("details", {}, h("summary", {}, tr("Fill in by provider")),
    labelled(tr("Provider"), provider), hint, h("div", { class: "buttons" }, fill));
}

export function aiForm(): Form {
  const address = text({ type: "url", placeholder: "https://api.openai.com/v1" }), model = text({ placeholder: "gpt-4o-mini" });
  const groups = [asked(address, model), said(), limits()];
  return form(groups.flat(), (nodes) => {
    const [[mode, ...whom], words, when] = groups.map((fields) => fields.map((field) => nodes[field.name]!)) as
      [HTMLElement[], HTMLElement[], HTMLElement[]];
    return [
      h("h3", {}, tr("Role and provider")), mode!, ...(everywhere ? [picker(address, model)] : []), ...whom,
      h("h3", {}, tr("What it says")), ...words,
      h("h3", {}, tr("When, and how much")), ...when,
    ];
  });
}
