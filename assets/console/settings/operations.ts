// What an OpenAPI document or an MCP server offers as actions: an administrator chooses which of them the AI may ask for.

import { call } from "../net/api";
import { ofSite } from "../state/sites";
import { h } from "../ui/dom";
import { asForm, input } from "./access";
import { button, feedback, labelled } from "./settings";
import { sentence } from "../ui/format";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Operation {
  name: string;
  about: string;
  method: string;
  path: string;
  url: string;
  changes: boolean;
  parameters: { properties?: Record<string, unknown> };
  header: string;
  why?: string;
}

interface Found {
  title: string;
  operations: Operation[];
  more?: number;
}

// offer is an operation in the list. chosen are the fields of an action of it, null while it is not chosen.
interface Offer {
  node: HTMLElement;
  chosen(): Record<string, unknown> | null;
  said(text: string): void;
  done(): void;
}

// readsOnly are the methods of which an administrator may say that they change nothing.
const readsOnly = ["GET", "POST", "MCP"];

// hostOf is the server of an address, "" for what is none.
const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : "");

// place is where the request of an operation goes. An operation of another server than that of home says so.
const place = (o: Operation, home: string): (Node | string)[] => {
  const host = hostOf(o.url);
  const at = o.method === "MCP" || !host ? o.path : o.url.replace(/^https?:\/\//, "");
  return [h("code", { dir: "ltr" }, o.method + " " + at), " ",
    host && host !== home ? h("span", { class: "tag bad" }, tr("Another server: {host} would get the secret", { host })) : "",
    " ", o.about];
};

// Whose asks whose data an operation gives or changes. Unanswered, whoever gives an order's number could read anybody's:
// then it is added paused, if it has parameters.
interface Whose {
  nodes: HTMLElement[];
  fields(): { identity: string; owner: string; verified: boolean; paused: boolean };
  // draw shows what fits an operation that changes something, or one that does not.
  draw(changes: boolean): void;
}

const personLike = /customer|user|person|member|client|account|owner/i;

function whose(names: string[]): Whose {
  const option = (value: string, text: string): HTMLOptionElement => h("option", { value }, text);
  const own = option("identity", tr("The visitor’s own: relay fills in a parameter"));
  const says = option("owner", tr("The visitor’s own: the answer says whose it is"));
  const signedIn = option("verified", tr("Every visitor who is signed in may ask"));
  const answer = h("select", { class: "input" }, option("", tr("Not answered yet")),
    option("nobody", tr("Nobody’s own: every visitor may ask")), own, says, signedIn);
  const identity = h("select", { class: "input" }, ...names.map((name) => option(name, name)));
  identity.value = names.find((name) => personLike.test(name)) ?? names[0] ?? "";
  const owner = input({ maxlength: 200, placeholder: "customer.id" });
  const parameter = labelled(tr("Parameter for the visitor’s verified id"), identity, tr("relay fills it in. The AI never sees it."));
  const field = labelled(tr("Field of the answer that must be that id"), owner, tr("If your server does not check whose data it is."));
  const draw = (changes: boolean): void => {
    own.disabled = !names.length;
    says.disabled = changes;
    signedIn.disabled = !changes;
    if (answer.selectedOptions[0]?.disabled) answer.value = "";
    parameter.hidden = answer.value !== "identity";
    field.hidden = answer.value !== "owner";
  };
  return {
    nodes: [labelled(tr("Whose data is it?"), answer), parameter, field],
    draw,
    fields: () => ({
      identity: answer.value === "identity" ? identity.value : "",
      owner: answer.value === "owner" ? owner.value : "",
      verified: !["", "nobody"].includes(answer.value),
      paused: !answer.value && !!names.length,
    }),
  };
}

function offer(o: Operation, home: string): Offer {
  const pick = h("input", { type: "checkbox", disabled: !!o.why });
  const data = whose(Object.keys(o.parameters.properties ?? {}));
  const changes = h("input", { type: "checkbox", checked: o.changes, disabled: !readsOnly.includes(o.method) });
  const said = h("p", { class: "hint", role: "status" }, o.why ? sentence(o.why) + "." : "");
  const more = h("div", { hidden: true }, h("label", { class: "check" }, changes,
    h("span", {}, tr("It changes something: a person has to say yes first"))), ...data.nodes);
  const draw = (): void => {
    more.hidden = !pick.checked;
    data.draw(changes.checked);
  };
  const node = h("li", { onchange: draw },
    h("label", { class: "check" }, pick, h("span", {}, ...place(o, home))), more, said);
  draw();
  const { name, about, method, url, parameters, header } = o;
  return {
    node,
    chosen: () => pick.checked
      ? { name, about, method, url, parameters, header, changes: changes.checked, ...data.fields() } : null,
    said: (text) => (said.textContent = text),
    done: () => {
      pick.checked = false;
      draw();
    },
  };
}

// adder lists what was found, and adds what is chosen.
function adder(found: Found, at: string, added: () => Promise<void>, given = ""): HTMLElement[] {
  const home = hostOf(at || found.operations.find((o) => o.url)?.url || "");
  const offers = found.operations.map((o) => offer(o, home));
  const secret = input({ type: "password", maxlength: 4000, autocomplete: "off", placeholder: "Bearer …", value: given });
  const all = async (): Promise<string> => {
    const chosen = offers.filter((o) => o.chosen());
    if (!chosen.length) throw new Error(tr("Choose what the AI may ask for."));
    let n = 0;
    for (const one of chosen) {
      try {
        const body = one.chosen();
        await call("POST", "/ai/actions" + ofSite(), { ...body, ...(secret.value ? { secret: secret.value } : {}) });
        one.said(body?.paused ? tr("Added, and paused: check whose data it is before you resume it.") : tr("Added."));
        one.done();
        n++;
      } catch (error) {
        one.said((error as Error).message);
      }
    }
    await added();
    return plural(n, "{n} action added.", "{n} actions added.");
  };
  return [
    h("p", {}, h("b", {}, found.title), " ", plural(offers.length, "{n} operation", "{n} operations"),
      found.more ? ", " + tr("{n} more are not shown", { n: found.more }) : ""),
    h("ul", { class: "sources operations" }, ...offers.map((o) => o.node)),
    asForm(feedback(), tr("Add what is chosen"), { secret }, all,
      labelled(tr("Secret (optional)"), secret, tr("It is not shown again."))),
  ];
}

// importPart reads a document, and adds actions of it.
export function importPart(added: () => Promise<void>): HTMLElement {
  const url = input({ type: "url", maxlength: 2000, placeholder: "https://shop.example/openapi.json" });
  const text = h("textarea", { class: "input", rows: 4, spellcheck: false, dir: "ltr" });
  const file = h("input", { type: "file", accept: ".json,.yaml,.yml", hidden: true });
  file.addEventListener("change", async () => {
    text.value = (await file.files?.[0]?.text()) ?? "";
    file.value = "";
  });
  const came = h("div", { "aria-live": "polite" });
  const read = async (): Promise<string> => {
    came.replaceChildren();
    const given = text.value.trim();
    const found = await call<Found>("POST", "/ai/operations", given ? { document: text.value } : { url: url.value });
    came.replaceChildren(...adder(found, given ? "" : url.value, added));
    return "";
  };
  return h("details", { class: "more", id: "actions-import" }, h("summary", {}, tr("Actions from an OpenAPI document")),
    asForm(feedback(), tr("Read it"), { url, document: text }, read,
      labelled(tr("Address"), url), labelled(tr("Or the document (JSON or YAML)"), text), file,
      h("div", {}, button(tr("Choose a file…"), () => file.click()))), came);
}

// toolsPart lists the tools of a server, and adds actions of them.
export function toolsPart(added: () => Promise<void>): HTMLElement {
  const mcp = input({ type: "url", maxlength: 2000, placeholder: "https://shop.example/mcp" });
  const secret = input({ type: "password", maxlength: 4000, autocomplete: "off", placeholder: "Bearer …" });
  const came = h("div", { "aria-live": "polite" });
  const read = async (): Promise<string> => {
    came.replaceChildren();
    const found = await call<Found>("POST", "/ai/operations", { mcp: mcp.value, secret: secret.value });
    came.replaceChildren(...adder(found, mcp.value, added, secret.value));
    return "";
  };
  return h("details", { class: "more", id: "actions-tools" }, h("summary", {}, tr("Actions from an MCP server")),
    asForm(feedback(), tr("Read it"), { mcp, secret }, read,
      labelled(tr("Address"), mcp), labelled(tr("Secret (optional)"), secret)), came);
}
