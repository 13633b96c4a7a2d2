// Rules for pages: what the widget does where, and which rule an address hits.

import { matches } from "../../../shared/path";
import { h } from "../../ui/dom";
import { rules, type Editor, type Moves, type Rules } from "../rules";
import { button, labelled } from "../settings";
import { plural } from "../../ui/sentences";
import { tr } from "../../ui/texts";

// PageRule is a rule of the setting pageRules.
interface PageRule {
  page: string;
  do: string;
  seconds?: number;
}

const kinds = [["show", tr("Show the chat")], ["hide", tr("Hide the chat")], ["delay", tr("Show the chat after")],
  ["open", tr("Open the chat after")]] as const;

function editor(rule: PageRule, { remove, up }: Moves): Editor<PageRule> {
  const path = h("input", { class: "input code", autocomplete: "off", spellcheck: "false", maxlength: 300, placeholder: "/checkout*" });
  const kind = h("select", { class: "input", onchange: () => draw() }, ...kinds.map(([value, label]) => h("option", { value }, label)));
  const seconds = h("input", { class: "input", type: "number", min: 0, max: 3600, step: 1, inputmode: "numeric" });
  const wait = labelled(tr("Seconds on the page"), seconds);
  const waits = (): boolean => kind.value === "delay" || kind.value === "open";
  const draw = (): void => void (wait.hidden = !waits());
  path.value = rule.page;
  kind.value = rule.do;
  seconds.value = String(rule.seconds ?? 10);
  draw();
  const node = h("li", {}, labelled(tr("Path"), path), labelled(tr("Then"), kind), wait,
    h("div", { class: "buttons" }, button(tr("Move up"), up), button(tr("Remove rule"), remove)));
  return {
    node,
    first: path,
    get: () => ({ page: path.value.trim(), do: kind.value, ...(waits() && { seconds: Number(seconds.value) || 0 }) }),
  };
}

function problem(all: PageRule[]): string {
  if (all.some(({ page }) => !/^[/*][!-~]*$/.test(page))) return tr("Enter a path that begins with / or *, such as /checkout*.");
  return all.some((rule) => rule.do === "delay" && !rule.seconds) ? "Enter how many seconds, 1 or more." : "";
}

// pathOf is the path of an address as somebody types it, "" when there is none.
function pathOf(typed: string): string {
  if (!typed) return "";
  try {
    return new URL(typed.includes("://") || typed.startsWith("/") ? typed : "https://" + typed, "https://shop.example").pathname;
  } catch {
    return "";
  }
}

// outcome says in words what happens on a page.
function outcome(path: string, all: PageRule[], hidden: string[]): string {
  const at = all.findIndex((rule) => matches(rule.page, path));
  const found = all[at];
  if (!found) {
    return hidden.some((pattern) => matches(pattern, path)) ? tr("No rule, but a page without the chat.")
      : tr("No rule: the chat is there.");
  }
  const n = found.seconds ?? 0;
  const does: Record<string, string> = { show: tr("the chat is there."), hide: tr("no chat."),
    delay: plural(n, "the chat comes after {n} second.", "the chat comes after {n} seconds."),
    open: plural(n, "the chat opens after {n} second.", "the chat opens after {n} seconds.") };
  return tr("Rule {number}, {page}: {what}", { number: at + 1, page: found.page, what: does[found.do] });
}

// pageRules edits the setting as a whole; hidden gives the pages without the chat, which come behind the rules.
export function pageRules(hidden: () => string[]): Rules {
  const edited = rules<PageRule>({
    more: tr("Add a rule"),
    fresh: () => ({ page: "", do: "hide" }),
    editor,
    problem,
  });
  const address = h("input",
    { class: "input", autocomplete: "off", spellcheck: "false", placeholder: "https://shop.example/checkout/pay" });
  const said = h("p", { class: "hint hit", role: "status" });
  const draw = (): void => {
    const path = pathOf(address.value.trim());
    said.textContent = path && outcome(path, edited.get() as PageRule[], hidden());
  };
  edited.node.addEventListener("input", draw);
  // What is typed to try the rules changes no setting.
  address.addEventListener("input", (e) => {
    e.stopPropagation();
    draw();
  });
  address.addEventListener("change", (e) => e.stopPropagation());
  const node = h("div", {}, edited.node, labelled(tr("Which rule does a page hit?"), address), said);
  return { ...edited, node, set: (value) => (edited.set(value), draw()), lock: (locked) => edited.lock(locked) };
}
