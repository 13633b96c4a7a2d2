// client.ts calls the widget API: keys in headers, errors with their status
// and the wait that the server asked for.

import type { Client, HttpError, SavedSession, Shell } from "../types";

/** createClient calls for one conversation at a time, other tabs may have another. */
export function createClient({ options, storage, json = JSON.stringify }: Shell, life: AbortSignal): Client {
  const url = (path: string) => `${options.apiUrl}/api/widget/${path}`;
  const headers = (session = client.session) => {
    const all: Record<string, string> = { Authorization: `Bearer ${options.apiKey}` };
    if (session?.token) all["X-Session-Token"] = session.token;
    return all;
  };
  const request = async (path: string, init: RequestInit, session?: SavedSession | null) => {
    const answer = await fetch(url(path), {
      credentials: "omit",
      cache: "no-store",
      ...init,
      headers: { ...headers(session), ...init.headers },
    });
    if (answer.ok) return answer;
    const { error } = await answer.json().catch(() => ({}));
    throw Object.assign(Error(error), { status: answer.status, wait: +answer.headers.get("Retry-After")! * 1000 });
  };
  const client: Client = {
    session: storage.get<SavedSession>("session"),
    life,
    url,
    headers,
    request,
    async call<T>(method: string, path: string, body?: unknown, keepalive?: boolean, session?: SavedSession | null) {
      const answer = await request(path, {
        method,
        keepalive,
        signal: keepalive ? undefined : AbortSignal.timeout(20_000),
        ...(body ? { headers: { "Content-Type": "application/json" }, body: json(body) } : {}),
      }, session);
      const result = (await answer.json()) as T;
      life.throwIfAborted();
      return result;
    },
  };
  return client;
}

/** passing reports whether an error is temporary. */
export function passing(error: unknown): boolean {
  const { status } = error as HttpError;
  return !status || status === 429 || status >= 500;
}
