// client.ts calls the widget API: keys in headers, errors with their status
// and the wait that the server asked for.

import type { SavedSession, Shell } from "./types";

/** HttpError is an answer other than 2xx; wait is Retry-After in ms, or 0. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly wait: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Client {
  call<T>(method: string, path: string, body?: unknown, keepalive?: boolean): Promise<T>;
  /** request is the bare fetch, for the stream. */
  request(path: string, init: RequestInit): Promise<Response>;
  headers(): Record<string, string>;
  url(path: string): string;
  /** Aborted when the widget is gone; answers after that are not used. */
  life: AbortSignal;
}

/** createClient reads the session token for each call: tabs share it. */
export function createClient({ options, storage }: Shell, life: AbortSignal): Client {
  const url = (path: string) => `${options.apiUrl}/api/widget/${path}`;
  const headers = () => {
    const token = storage.get<SavedSession>("session")?.token;
    const all: Record<string, string> = { Authorization: `Bearer ${options.apiKey}` };
    if (token) all["X-Session-Token"] = token;
    return all;
  };
  const request = async (path: string, init: RequestInit) => {
    const answer = await fetch(url(path), {
      credentials: "omit",
      cache: "no-store",
      ...init,
      headers: { ...headers(), ...init.headers },
    });
    if (!answer.ok) throw await failure(answer);
    return answer;
  };
  return {
    life,
    url,
    headers,
    request,
    async call<T>(method: string, path: string, body?: unknown, keepalive?: boolean) {
      const answer = await request(path, {
        method,
        keepalive,
        signal: keepalive ? undefined : AbortSignal.timeout(20_000),
        headers: body ? { "Content-Type": "application/json" } : undefined,
        body: body ? JSON.stringify(body) : undefined,
      });
      const result = (await answer.json()) as T;
      life.throwIfAborted();
      return result;
    },
  };
}

async function failure(answer: Response): Promise<HttpError> {
  const body = await answer.json().catch(() => ({}));
  const seconds = Number(answer.headers.get("Retry-After")) || 0;
  return new HttpError(answer.status, seconds * 1000, body.error || "");
}

/** passing reports whether an error is temporary. */
export function passing(error: unknown): boolean {
  return !(error instanceof HttpError) || error.status === 429 || error.status >= 500;
}
