// random.ts makes ids that cannot be guessed, also on pages without TLS,
// where crypto.randomUUID does not exist.

/** randomId returns 128 random bits as 32 hex digits. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
