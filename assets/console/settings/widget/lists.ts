// Controls of several texts, and the languages of the widget.

import { h } from "../../ui/dom";
import type { Control } from "../form";
import { tr } from "../../ui/texts";

// questions edits up to four short texts.
export function questions(): Control {
  const fields = [1, 2, 3, 4].map((n) =>
    h("input", { class: "input", maxlength: 120, "aria-label": tr("Question {n}", { n }), placeholder: n === 1 ? tr("Where is my order?")
      : "" }));
  return {
    node: h("div", { class: "several" }, ...fields),
    get: () => fields.map((field) => field.value.trim()).filter(Boolean),
    set: (value) => fields.forEach((field, i) => void (field.value = (value as string[] | null)?.[i] ?? "")),
    lock: (locked) => fields.forEach((field) => void (field.disabled = locked)),
  };
}

export const languages: readonly (readonly [code: string, name: string])[] = [
  ["en", "English"], ["de", "Deutsch"], ["fr", "Français"], ["es", "Español"], ["it", "Italiano"], ["pt", "Português"],
  ["nl", "Nederlands"],
  ["pl", "Polski"], ["sv", "Svenska"], ["tr", "Türkçe"], ["ja", "日本語"], ["zh", "中文"],
  ["ar", "العربية"], ["he", "עברית"],
];
