// plural.ts counts in any language.

/** count fills in the form of a text that the number wants. */
export function count(n: number, forms: Record<string, string>, language: string): string {
  const form = forms[new Intl.PluralRules(language).select(n)] || forms.other!;
  return form.replace("{n}", n.toLocaleString(language));
}
