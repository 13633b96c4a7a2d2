// Controls of several texts: starter questions, and own texts by language.

import { h } from "../dom";
import type { Control } from "./form";
import { labelled } from "./settings";

// questions edits up to four short texts.
export function questions(): Control {
  const fields = [1, 2, 3, 4].map((n) => h("input", { class: "input", maxlength: 120, "aria-label": "Question " + n, placeholder: n === 1 ? "Where is my order?" : "" }));
  return {
    node: h("div", { class: "several" }, ...fields),
    get: () => fields.map((field) => field.value.trim()).filter(Boolean),
    set: (value) => fields.forEach((field, i) => void (field.value = (value as string[] | null)?.[i] ?? "")),
    lock: (locked) => fields.forEach((field) => void (field.disabled = locked)),
  };
}

export const languages: readonly (readonly [code: string, name: string])[] = [
  ["en", "English"], ["de", "Deutsch"], ["fr", "Français"], ["es", "Español"], ["it", "Italiano"], ["pt", "Português"], ["nl", "Nederlands"],
  ["pl", "Polski"], ["sv", "Svenska"], ["tr", "Türkçe"], ["ja", "日本語"], ["zh", "中文"], ["ar", "العربية"], ["he", "עברית"],
];

type Texts = Record<string, Record<string, unknown>>;

const own = [["welcomeMessage", "Welcome"], ["offlineMessage", "While you are away"]] as const;

// texts edits what visitors read first, in each of the widget's languages. Other texts that the API stored stay.
export function texts(): Control {
  const choose = h("select", { class: "input", onchange: () => draw() }, ...languages.map(([code, name]) => h("option", { value: code }, name)));
  const areas = own.map(([name]) => {
    const area = h("textarea", { class: "input", rows: 2, maxlength: 1000, dir: "auto", oninput: () => put(name, area.value) });
    return area;
  });
  let value: Texts = {};

  const put = (name: string, text: string): void => {
    const next = { ...value[choose.value], [name]: text.trim() };
    if (!text.trim()) delete next[name];
    value = { ...value, [choose.value]: next };
    if (!Object.keys(next).length) delete value[choose.value];
  };
  const draw = (): void => areas.forEach((area, i) => void (area.value = String(value[choose.value]?.[own[i]![0]] ?? "")));
  return {
    node: h("div", {}, labelled("Language", choose), ...areas.map((area, i) => labelled(own[i]![1], area))),
    get: () => (Object.keys(value).length ? value : null),
    set(stored) {
      value = structuredClone((stored as Texts | null) ?? {});
      draw();
    },
    lock: (locked) => [choose, ...areas].forEach((field) => void (field.disabled = locked)),
  };
}
