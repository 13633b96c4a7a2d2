// Requests of who is not signed in.

import { known, tr } from "../ui/texts";

export class Refused extends Error {
  constructor(readonly status: number, text: string, readonly fields?: Record<string, string>) {
    super(known(text));
  }
}

// post sends JSON and yields the answer, or throws what relay says.
export async function post<T>(path: string, body: unknown): Promise<T> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000) };
  const response = await fetch(path, init).catch(() => {
    throw new Refused(0, tr("relay cannot be reached. Check your connection and try again."));
  });
  const answer = (await response.json().catch(() => null)) as { error?: string; fields?: Record<string, string> } | null;
  const error = answer?.error ?? tr("relay answered {status}. Please try again.", { status: response.status });
  if (!response.ok) throw new Refused(response.status, error, answer?.fields);
  return answer as T;
}
