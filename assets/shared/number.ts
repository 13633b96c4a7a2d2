// number.ts makes numbers of public keys, by which a page finds what is its website's own: none
// sees the keys of others.

/** numberOf is FNV-1a of a text, in 32 bits. */
export function numberOf(text: string): number {
  return [...text].reduce((hash, sign) => Math.imul(hash ^ sign.charCodeAt(0), 16777619) >>> 0, 2166136261);
}
