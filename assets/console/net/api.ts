// The admin API under the console's cookie: one request function and one upload.

import type { Attachment } from "../types";

const root = "/api/admin";

// A request without an answer for so long has failed.
const patience = 30_000;

export const sessionPath = (id: string): string => "/sessions/" + encodeURIComponent(id);

// unreachable is what is said of a request that got no answer.
export const unreachable = "relay cannot be reached";

// ApiError carries the HTTP status, 0 when the server was not reached, and what is wrong with each field.
export class ApiError extends Error {
  readonly fields?: Record<string, string> | undefined;
  // confirm is what an administrator can allow with the password: a host and port.
  readonly confirm?: string | undefined;
  constructor(readonly status: number, body?: unknown) {
    const { error: text, fields, confirm } = (body ?? {}) as { error?: unknown; fields?: Record<string, string>; confirm?: string };
    super(typeof text === "string" ? text : status ? "the server answered " + status : unreachable);
    this.fields = fields;
    this.confirm = confirm;
  }
}

// check leaves for the sign-in page when the cookie is gone or has expired.
function check<T>(status: number, body: unknown): T {
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

export interface Transfer {
  done: Promise<Attachment>;
  abort(): void;
}

// upload uses XMLHttpRequest because fetch does not report upload progress.
export function upload(sessionId: string, file: File, onProgress: (share: number) => void): Transfer {
  const request = new XMLHttpRequest();
  const form = new FormData();
  form.append("file", file);
  request.responseType = "json";
  request.open("POST", root + sessionPath(sessionId) + "/attachments");
  request.upload.onprogress = (e) => onProgress(e.loaded / e.total);
  const done = new Promise<void>((resolve) => (request.onloadend = () => resolve()));
  request.send(form);
  return { done: done.then(() => check(request.status, request.response)), abort: () => request.abort() };
}
