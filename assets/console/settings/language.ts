// The language of the console, for whoever is signed in.

import { h } from "../ui/dom";
import { tr } from "../ui/texts";
import { onPreferences } from "../notify/preferences";
import { saving } from "./preferences";
import { labelled, section } from "./settings";

// Each language is written in its own.
const languages = [["en", "English"], ["de", "Deutsch"], ["fr", "Français"],
  ["es", "Español"], ["pt", "Português"], ["ja", "日本語"]] as const;

export function languageSection(): HTMLElement {
  const { said, save } = saving();
  const change = async (): Promise<void> => {
    await save({ language: select.value });
    if (said.textContent) location.reload();
  };
  const select = h("select", { class: "input", id: "language", onchange: () => void change() },
    h("option", { value: "" }, tr("The browser’s")), ...languages.map(([code, name]) => h("option", { value: code, lang: code }, name)));
  onPreferences((p) => (select.value = p.language ?? ""));
  return section(tr("Language"), labelled(tr("Language of the console"), select,
    tr("What you and your visitors write stays as it is.")), said);
}
