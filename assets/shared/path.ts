// path.ts compares the paths of pages with patterns, as settings have them.

/** matches compares a path with a pattern in which * is any text. */
export function matches(pattern: string, path: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(path);
}
