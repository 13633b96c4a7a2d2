// What the AI may do beside answering: requests to one's own servers, what it did by them, and what waits for a yes.

import { states, type Act } from "../inbox/act";
import { call } from "../net/api";
import { ofSite, siteMark } from "../state/sites";
import { attempt } from "../state/store";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import { agoTime } from "../ui/format";
import { asForm, input, member, type Part } from "./access";
import { importPart, toolsPart } from "./operations";
import { button, feedback, labelled } from "./settings";
import { tr } from "../ui/texts";

// Declared is what is declared of an action.
interface Declared {
  name: string;
  about: string;
  method: string;
  url: string;
  parameters: object;
  identity: string;
  owner: string;
  byEmail: boolean;
  verified: boolean;
  changes: boolean;
  repeats: boolean;
  header: string;
  hasSecret: boolean;
}

interface Action extends Declared {
  id: string;
  site?: string;
  paused: boolean;
}

interface Trial {
  shown: string;
  made: boolean;
  answer?: string;
  error?: string;
}

const fresh: Declared = {
  name: "", about: "", method: "GET", url: "",
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  identity: "", owner: "", byEmail: false, verified: false, changes: false, repeats: false, header: "Authorization", hasSecret: false,
};

const tick = (label: string, checked: boolean): [box: HTMLInputElement, node: HTMLElement] => {
  const box = h("input", { type: "checkbox", checked });
  return [box, h("div", {}, h("label", { class: "check" }, box, h("span", {}, label)))];
};

// actionForm has the fields of an action. Saved gets what they say.
function actionForm(a: Declared, label: string, saved: (change: object) => Promise<string>): HTMLElement {
  const name = input({ maxlength: 40, value: a.name, placeholder: "order_status", autocomplete: "off" });
  const about = input({ maxlength: 500, value: a.about, placeholder: tr("Says where an order is.") });
  const method = h("select", { class: "input" },
    ...["GET", "POST", "PUT", "PATCH", "DELETE", "MCP"].map((one) => h("option", { value: one, selected: one === a.method }, one)));
  const url = input({ type: "url", maxlength: 2000, value: a.url, placeholder: "https://shop.example/api/orders/{order}" });
  const parameters = h("textarea", { class: "input", rows: 6, maxlength: 8000, spellcheck: false }, JSON.stringify(a.parameters, null, 2));
  const identity = input({ maxlength: 60, value: a.identity, placeholder: "customer" });
  const owner = input({ maxlength: 200, value: a.owner, placeholder: "customer.id" });
  const secret = input({ type: "password", maxlength: 4000, autocomplete: "off",
    placeholder: a.hasSecret ? tr("Unchanged") : "Bearer …" });
  const header = input({ maxlength: 60 });
  header.defaultValue = a.header;
  const proved = tr("That id is an e-mail address, which the visitor proves by a code that relay sends there");
  const [byEmail, byEmailBox] = tick(proved, a.byEmail);
  const [verified, verifiedBox] = tick(tr("Only for signed-in visitors (verified identity)"), a.verified);
  const [changes, changesBox] = tick(tr("It changes something: a person has to say yes first"), a.changes);
  const [repeats, repeatsBox] = tick(tr("The server does it only once per Idempotency-Key"), a.repeats);
  const save = (): Promise<string> => {
    let schema: unknown;
    try {
      schema = JSON.parse(parameters.value);
    } catch {
      throw new Error(tr("The parameters are not JSON"));
    }
    return saved({
      name: name.value, about: about.value, method: method.value, url: url.value, parameters: schema, identity: identity.value,
      owner: owner.value, header: header.value, byEmail: byEmail.checked, verified: verified.checked, changes: changes.checked,
      repeats: repeats.checked,
      ...(secret.value ? { secret: secret.value } : {}),
    });
  };
  return asForm(feedback(), label, { name, about, method, url, parameters, identity, owner, header, secret, byEmail }, save,
    labelled(tr("Name"), name), labelled(tr("What it does, and when it helps"), about), labelled(tr("Method"), method),
    labelled(tr("Address"), url, tr("With parameters like {order} in its path.")),
    labelled(tr("Parameters (JSON Schema)"), parameters, tr("Each needs a type. The AI can give no others.")),
    labelled(tr("Parameter for the visitor’s verified id (optional)"), identity, tr("relay fills it in. The AI never sees it.")),
    labelled(tr("Field of the answer that must be that id (optional)"), owner, tr("If your server does not check whose data it is.")),
    byEmailBox, labelled(tr("Header for the secret"), header), labelled(tr("Secret (optional)"), secret, tr("It is not shown again.")),
    verifiedBox, changesBox, repeatsBox);
}

// tryForm makes the request of an action that only reads.
function tryForm(a: Action): HTMLElement {
  const given = input({ maxlength: 4000, placeholder: '{"order":"4711"}' });
  const person = input({ maxlength: 200 });
  const came = h("div", { "aria-live": "polite" });
  const run = async (): Promise<string> => {
    const trial = await call<Trial>("POST", "/ai/actions/" + a.id + "/try",
      { arguments: JSON.parse(given.value || "{}") as object, person: person.value });
    const text = trial.made ? trial.error ?? trial.answer ?? "" : tr("This is only shown, because it changes something.");
    came.replaceChildren(h("p", {}, h("code", { dir: "ltr" }, trial.shown)), h("blockquote", { dir: "auto", class: "said" }, text));
    return "";
  };
  return h("details", { class: "field" }, h("summary", {}, tr("Try it")),
    asForm(feedback(), tr("Try it"), { arguments: given, person }, run,
      labelled(tr("Parameters as the AI would give them (JSON)"), given), labelled(tr("Verified id of a visitor"), person)), came);
}

function row(a: Action, load: () => Promise<void>): HTMLElement[] {
  const path = "/ai/actions/" + a.id;
  const pause = async (): Promise<void> => {
    await attempt(call("PATCH", path, { paused: !a.paused }), tr("Not changed"));
    await load();
  };
  const end = async (): Promise<void> => {
    if (!(await ask(tr("Delete the action “{name}”? What waits for a yes to it is not done.", { name: a.name }), tr("Delete")))) return;
    await attempt(call("DELETE", path), tr("Not deleted"));
    await load();
  };
  const change = async (body: object): Promise<string> => {
    await call("PATCH", path, body as Record<string, unknown>);
    await load();
    return tr("Saved.");
  };
  const kind = [a.changes && tr("waits for your yes"), a.paused && tr("paused")].filter(Boolean).map((text) => " (" + text + ")").join("");
  const item = member(a.name, kind, a.about + " · " + a.method + " " + a.url,
    button(a.paused ? tr("Resume") : tr("Pause"), () => void pause(),
      a.paused ? tr("Resume the action {name}", { name: a.name }) : tr("Pause the action {name}", { name: a.name })),
    button(tr("Delete…"), () => void end(), tr("Delete the action {name}", { name: a.name })));
  item.querySelector(".member-text")!.append(siteMark(a.site) || "");
  const edit = h("details", { class: "field" }, h("summary", {}, tr("Change")), actionForm(a, tr("Save"), change));
  return [item, h("li", {}, edit, tryForm(a))];
}

// decided are the acts to which a person here said yes or no, with when something had come of each before.
const decided = new Map<string, string | undefined>();

// state is that of an act. relay takes up a yes or no behind its answer.
const state = (a: Act): Act["state"] => a.state === "waiting" && decided.has(a.id) && decided.get(a.id) === a.at ? "running" : a.state;

function actItem(a: Act, load: () => Promise<void>): HTMLElement {
  const [text, tone] = states[state(a)];
  const decide = async (yes: boolean): Promise<void> => {
    if (await attempt(call("POST", "/ai/acts/" + a.id, { yes }), tr("Not done"))) decided.set(a.id, a.at);
    await load();
  };
  const buttons = state(a) === "waiting" && h("div", { class: "buttons" },
    button(tr("Yes, do it"), () => void decide(true), tr("Yes, do it: {name}", { name: a.name })),
    button(tr("No"), () => void decide(false), tr("No: {name}", { name: a.name })));
  return h("li", {},
    h("p", {}, h("b", {}, a.name), " ", h("span", { class: "tag " + tone }, text), " ", siteMark(a.site), " ", agoTime(a.askedAt), " ",
      h("a", { href: "#/sessions/" + encodeURIComponent(a.sessionId) }, tr("Conversation"))),
    h("p", {}, h("code", { dir: "ltr" }, a.shown)), ...(a.reason ? [h("p", { class: "hint" }, a.reason)] : []), buttons || "");
}

// actionsPart lists the actions, adds new ones, and shows what was done by them.
export function actionsPart(): Part {
  const list = h("ul", { class: "members", id: "ai-actions" });
  const acts = h("ul", { class: "sources", id: "ai-acts" });
  let poll = 0;
  let drawn = "";
  const draw = (all: Act[]): void => {
    const now = JSON.stringify(all.map((a) => [a, state(a)]));
    if (now !== drawn) acts.replaceChildren(...all.map((a) => actItem(a, load)));
    drawn = now;
  };
  // follow shows what is done meanwhile: soon what somebody here decided.
  const follow = (all: Act[] = []): void => {
    clearTimeout(poll);
    poll = window.setTimeout(() => void again(), all.some((a) => decided.has(a.id) && state(a) === "running") ? 1000 : 5000);
  };
  const again = async (): Promise<void> => {
    if (!node.isConnected) return;
    const done = document.hidden ? null : await call<{ acts: Act[] }>("GET", "/ai/acts").catch(() => null);
    if (done) draw(done.acts);
    follow(done?.acts);
  };
  const load = async (): Promise<void> => {
    const found = await attempt(call<{ actions: Action[] }>("GET", "/ai/actions" + ofSite()), tr("The actions could not be loaded"));
    const done = await attempt(call<{ acts: Act[] }>("GET", "/ai/acts"), tr("What was done could not be loaded"));
    if (found) list.replaceChildren(...found.actions.flatMap((a) => row(a, load)));
    if (done) draw(done.acts);
    follow(done?.acts);
  };
  const form = actionForm(fresh, tr("Add an action"), async (body) => {
    await call("POST", "/ai/actions" + ofSite(), body as Record<string, unknown>);
    (form as HTMLFormElement).reset();
    await load();
    return tr("Added.");
  });
  const node = h("div", { id: "actions" }, h("h3", {}, tr("Actions")),
    h("p", { class: "hint" }, tr("Requests to your own servers, which the AI may ask for: to look up a signed-in visitor’s order, " +
      "or, with your yes, to change something."), " ",
      h("a", { href: "/docs/ai#let-it-act", target: "_blank", rel: "noopener" }, tr("How it works"))),
    list, h("details", { class: "more", id: "actions-add" }, h("summary", {}, tr("Another action")), form),
    importPart(load), toolsPart(load), acts);
  return { node, load };
}
