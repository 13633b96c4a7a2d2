/** sizeOf words a number of bytes as relay does everywhere: a KB is 1,000 of them. */
export function sizeOf(bytes: number): string {
  const kb = Math.round(bytes / 1e3);
  return bytes < 1e3 ? `${bytes} B` : kb < 1e3 ? `${kb} KB` : `${+(bytes / 1e6).toFixed(1)} MB`;
}
