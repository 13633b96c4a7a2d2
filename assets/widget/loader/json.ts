// json.ts writes JSON as the standard says, also where an old library has given arrays
// and strings a toJSON of its own (Prototype before 1.7).

/** json is JSON.stringify that asks only objects how they want to be written. */
export function json(value: unknown): string {
  return JSON.stringify(value, function (this: any, key, written) {
    const own = this[key];
    return typeof own === "object" && !Array.isArray(own) ? written : own;
  });
}
