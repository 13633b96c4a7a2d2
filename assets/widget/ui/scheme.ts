// scheme.ts makes what the widget shows light or dark: as the settings say, else as
// the page is.

export const dark = matchMedia("(prefers-color-scheme: dark)");

/** pageScheme is the page's own color-scheme: what it does not name is light. */
function pageScheme(): string {
  const { colorScheme } = getComputedStyle(document.documentElement);
  const meta = document.querySelector<HTMLMetaElement>("meta[name=color-scheme]");
  return colorScheme === "normal" ? meta?.content || "" : colorScheme;
}

/** paint marks a node as dark. */
export function paint(node: HTMLElement, theme = ""): void {
  const scheme = pageScheme();
  const page = /dark/.test(scheme) && (!/light/.test(scheme) || dark.matches);
  node.classList.toggle("dark", theme === "dark" || (theme !== "light" && page));
}
