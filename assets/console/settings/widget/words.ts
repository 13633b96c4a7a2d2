// The team's own words for visitors, by language: first what visitors read first, then any text of the widget.

import english from "../../../widget/lang/en.json";
import { h } from "../../ui/dom";
import type { Control } from "../form";
import { languages, questions } from "./lists";
import { labelled } from "../settings";
import { tr } from "../../ui/texts";

type Texts = Record<string, Record<string, unknown>>;

const most = 1000;
const first = [["operatorName", tr("Name")], ["welcomeMessage", tr("Welcome")], ["offlineMessage", tr("While you are away")]] as const;

// standing in for these are the fields above.
const elsewhere = ["hello", "offline", "operator"];

// others are the widget's texts in English by their names. Those that count something have several forms and stay.
const others = Object.entries(Object.assign({}, ...Object.values(english).reverse()) as Record<string, unknown>)
  .filter((entry): entry is [string, string] => typeof entry[1] === "string" && !elsewhere.includes(entry[0]));

// anyOther edits the other texts, one at a time; own are those of the language that is shown.
function anyOther(own: () => Record<string, unknown>, put: (name: string, text: string) => void) {
  const options = others.map(([name, text]) => h("option", { value: name }, text));
  const which = h("select", { class: "input", onchange: () => show() }, ...options);
  const field = h("textarea", { class: "input", rows: 1, maxlength: most, dir: "auto", oninput: () => {
    put(which.value, field.value.trim());
    mark();
  } });
  const hint = h("p", { class: "hint" });
  // mark shows which texts were changed.
  const mark = (): void => options.forEach((option, i) => void (option.textContent = (own()[others[i]![0]] ? "✎ " : "") + others[i]![1]));
  const show = (): void => {
    const text = others.find(([name]) => name === which.value)?.[1] ?? "";
    const filled = text.match(/{\w+}/g);
    field.value = String(own()[which.value] ?? "");
    field.placeholder = text;
    hint.textContent = filled ? tr("relay fills in {names}.", { names: filled.join(tr(" and ")) }) : "";
  };
  return {
    which, field, nodes: [labelled(tr("Any other text"), which), labelled(tr("Your text"), field, hint)],
    draw() {
      mark();
      show();
    },
  };
}

// texts edits all of them. What the API stored besides stays.
export function texts(): Control {
  const language = h("select", { class: "input", onchange: () => draw() },
    ...languages.map(([code, name]) => h("option", { value: code }, name)));
  const fields = first.map(([name]) => {
    const field = h("textarea", { class: "input", rows: name === "operatorName" ? 1 : 2, maxlength: name === "operatorName" ? 100 : most,
      dir: "auto", oninput: () => put(name, field.value.trim()) });
    return field;
  });
  const starters = questions();
  starters.node.setAttribute("role", "group");
  starters.node.setAttribute("aria-label", "Starter questions");
  let value: Texts = {};

  const own = (): Record<string, unknown> => value[language.value] ?? {};
  const put = (name: string, text: unknown): void => {
    const { [name]: _, ...rest } = own();
    const next = text ? { ...rest, [name]: text } : rest;
    const { [language.value]: __, ...languages } = value;
    value = Object.keys(next).length ? { ...languages, [language.value]: next } : languages;
  };
  const other = anyOther(own, put);
  const draw = (): void => {
    fields.forEach((field, i) => void (field.value = String(own()[first[i]![0]] ?? "")));
    starters.set(own()["starters"] ?? null);
    other.draw();
  };
  starters.node.addEventListener("input", () => {
    const list = starters.get() as string[];
    put("starters", list.length ? list : undefined);
  });
  return {
    node: h("div", {}, labelled(tr("Language"), language), ...fields.map((field, i) => labelled(first[i]![1], field)),
      h("div", { class: "field" }, h("span", { class: "label" }, tr("Starter questions")), starters.node),
      ...other.nodes),
    get: () => (Object.keys(value).length ? value : null),
    set(stored) {
      value = structuredClone((stored as Texts | null) ?? {});
      draw();
    },
    lock(locked) {
      for (const field of [language, ...fields, other.which, other.field]) field.disabled = locked;
      starters.lock(locked);
    },
  };
}
