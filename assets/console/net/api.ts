// The admin API under the console's cookie: one request function.

import { known, tr } from "../ui/texts";

// root is what every path of the API begins with.
export const root = "/api/admin";

// A request without an answer for so long has failed.
const patience = 30_000;

export const sessionPath = (id: string): string => "/sessions/" + encodeURIComponent(id);

// unreachable is what is said of a request that got no answer.
export const unreachable = tr("relay cannot be reached");

// ApiError carries the HTTP status, 0 when the server was not reached, and what is wrong with each field.
export class ApiError extends Error {
  readonly fields?: Record<string, string> | undefined;
  // confirm is what an administrator can allow with the password: a host and port.
  readonly confirm?: string | undefined;
  constructor(readonly status: number, body?: unknown) {
    const { error: text, fields, confirm } = (body ?? {}) as { error?: unknown; fields?: Record<string, string>; confirm?: string };
    super(typeof text === "string" ? known(text) : status ? tr("the server answered {status}", { status: String(status) }) : unreachable);
    this.fields = fields;
    this.confirm = confirm;
  }
}

// check leaves for the sign-in page when the cookie is gone or has expired.
export function check<T>(status: number, body: unknown): T {
  if (status === 401) location.assign("/console");
  if (status < 200 || status > 299) throw new ApiError(status, body);
  return body as T;
}

export async function call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, signal: AbortSignal.timeout(patience) };
  if (body) {
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const response = await fetch(root + path, init).catch(() => {
    throw new ApiError(0);
  });
  return check(response.status, await response.json().catch(() => null));
}
