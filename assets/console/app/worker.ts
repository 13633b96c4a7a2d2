// The service worker: it shows what relay pushes, also while no console is open, and opens the conversation on a click.
// It caches nothing: the console is always that of the server.

interface Note {
  sessionId?: string;
  title?: string;
  body?: string;
}

interface Extendable extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface Pushed extends Extendable {
  data: { json(): unknown } | null;
}

interface Clicked extends Extendable {
  notification: Notification;
}

interface Window1 {
  url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

interface Worker1 {
  registration: ServiceWorkerRegistration;
  clients: { matchAll(options: object): Promise<Window1[]>; openWindow(url: string): Promise<unknown>; claim(): Promise<void> };
  skipWaiting(): Promise<void>;
}

const worker = self as unknown as Worker1;

const isId = (id: unknown): id is string => typeof id === "string" && /^[\w-]{1,200}$/.test(id);

function read(e: Pushed): Note {
  try {
    return (e.data?.json() ?? {}) as Note;
  } catch {
    return {};
  }
}

function show({ sessionId, title, body }: Note): Promise<void> {
  const options = { body: String(body ?? ""), tag: sessionId ?? "relay", renotify: true, icon: "/static/icon-192.png",
    badge: "/static/icon-192.png", data: { sessionId } };
  return worker.registration.showNotification(String(title ?? "relay"), options);
}

// open focuses a console's tab, or opens one.
async function open(id: unknown): Promise<void> {
  const path = "/console" + (isId(id) ? "#/sessions/" + id : "");
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const [first] = windows.filter((w) => new URL(w.url).pathname === "/console");
  if (!first) return void (await worker.clients.openWindow(path));
  await first.focus();
  if (isId(id)) first.postMessage({ open: id });
}

self.addEventListener("push", (e) => (e as Pushed).waitUntil(show(read(e as Pushed))));
self.addEventListener("notificationclick", (e) => {
  const { notification } = e as Clicked;
  notification.close();
  (e as Clicked).waitUntil(open((notification.data as { sessionId?: unknown } | null)?.sessionId));
});
self.addEventListener("install", (e) => (e as Extendable).waitUntil(worker.skipWaiting()));
self.addEventListener("activate", (e) => (e as Extendable).waitUntil(worker.clients.claim()));

export {};
