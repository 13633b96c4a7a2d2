// The console's texts in the language of its page. English is in the code, as the key of every other language; their
// texts are in a file that the page loads before the console, so that nothing is drawn twice.

export type Values = Readonly<Record<string, string | number | undefined>>;

// Forms are a text that depends on a number: one for each kind of number that the language knows.
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;

declare global {
  // By numberOf the English text.
  var relayTexts: Readonly<Record<number, string | Forms>> | undefined;
}

export const language = document.documentElement.lang;

// locale is the language as the browser prefers it, with its country.
export const locale = navigator.languages.find((name) => name.split("-")[0] === language) ?? language;

const numbers = new Intl.NumberFormat(locale);

// numberOf is the same as textNumber in assets/build/bundle/texts.go.
function numberOf(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) | 0;
  return sum;
}

export const lookUp = (text: string): string | Forms => globalThis.relayTexts?.[numberOf(text)] ?? text;

export const fillIn = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => {
    const value = values[name];
    return typeof value === "number" ? numbers.format(value) : value ?? all;
  });

// tr translates a text of ours, with values in the place of {names}. What people wrote is never a text.
export const tr = (text: string, values: Values = {}): string => fillIn(lookUp(text) as string, values);

// known translates what the server says in English, if server.txt has it: its numbers, and what is in its quotation
// marks “”, stand there as {n}, in the same order in every language.
export function known(text: string): string {
  const parts = /(“)[^”]*|\d+/g;
  const own = text.match(parts) ?? [];
  return (lookUp(text.replace(parts, "$1{n}")) as string).replace(/\{n\}/g, () => own.shift()?.replace("“", "") ?? "");
}
