// language.ts chooses the visitor's language and loads its texts. English is
// part of the files; every other language is a file of its own.

import { named, spoken } from "./spoken";
import type { Shell, Store } from "../types";

/** The texts of a language, by section. */
type Texts = Record<string, unknown[]>;

export interface Language {
  /** settled resolves when the chosen language is there, or cannot be had. */
  settled: Promise<unknown>;
  /** choose looks again at what decides: the option, the setting, page, browser. */
  choose(): Promise<unknown>;
  words<T extends object>(section: string, english: T): T;
}

/** createLanguage begins with what is known before the server has answered. */
export function createLanguage(shell: Shell, store: Store): Language {
  const { options, storage, part } = shell;
  const loaded: Record<string, Texts> = { en: {} };
  const wanted = () => spoken(options.locale, store.state.config.language || storage.get<string>("language"));
  const choose = async () => {
    const { language } = store.state.config;
    if (language) storage.set("language", language);
    const code = wanted();
    try {
      loaded[code] ||= await part<Texts>(`lang-${code}-${LANGUAGES_HASH}.js`);
    } catch {
      return; // the texts stay as they are
    }
    if (code === wanted() && code !== store.state.language) store.set({ language: code });
  };
  return {
    settled: choose(),
    choose,
    words(section, english) {
      const { language, config } = store.state;
      return { ...named(english, loaded[language]![section]), ...config.texts?.[language] };
    },
  };
}
