// This browser's subscription to notifications.

import { bytes } from "../account/webauthn";
import { call } from "../net/api";
import { tr } from "../ui/texts";

export interface Device {
  id: string;
  label: string;
  createdAt: string;
}

export interface Devices {
  publicKey: string;
  devices: Device[];
}

export const devices = (): Promise<Devices> => call<Devices>("GET", "/push");

// lacking returns why this browser cannot get notifications, "" if it can.
export function lacking(): string {
  if (!isSecureContext) return tr("Notifications need https. Open the console by its https address.");
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) {
    const apple = /iPhone|iPad/.test(navigator.userAgent);
    return apple
      ? tr("On iPhone and iPad, first add this page to the home screen (Share → Add to Home Screen), and open it from there.")
      : tr("This browser cannot receive notifications while the console is closed.");
  }
  return Notification.permission === "denied"
    ? tr("This browser blocks notifications of this page. Allow them in the settings of the page, beside its address, and reload.")
    : "";
}

const serviceWorker = (): Promise<ServiceWorkerRegistration> =>
  navigator.serviceWorker.register("/static/worker.js", { scope: "/console" });

// subscription returns this browser's subscription, null if it has none.
export async function subscription(): Promise<PushSubscription | null> {
  if (lacking()) return null;
  const known = await navigator.serviceWorker.getRegistration("/console");
  return (await known?.pushManager.getSubscription()) ?? null;
}

// deviceLabel names this browser in the list of devices.
function deviceLabel(): string {
  const agent = navigator.userAgent;
  const browser = /Edg\//.test(agent) ? "Edge"
    : /OPR\//.test(agent) ? "Opera"
    : /Firefox\//.test(agent) ? "Firefox"
    : /Chrome\//.test(agent) ? "Chrome" : "Safari";
  const system = /Android/.test(agent) ? "Android"
    : /iPhone|iPad/.test(agent) ? "iOS"
    : /Mac OS/.test(agent) ? "macOS"
    : /Windows/.test(agent) ? "Windows" : "Linux";
  return tr("{browser} on {system}", { browser, system });
}

// subscribe asks for permission and registers this browser with relay.
export async function subscribe(): Promise<Device> {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(lacking() || tr("permission was not granted"));
  const { publicKey } = await devices();
  const registration = await serviceWorker();
  await navigator.serviceWorker.ready;
  const own = (await registration.pushManager.getSubscription()) ??
    (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(publicKey) }));
  const { endpoint, keys } = own.toJSON();
  return call<Device>("POST", "/push/devices", { endpoint, keys, label: deviceLabel() });
}

export const remove = (id: string): Promise<unknown> => call("DELETE", "/push/devices/" + encodeURIComponent(id));

export const test = (id: string): Promise<{ ok: boolean; error?: string }> =>
  call("POST", "/push/devices/" + encodeURIComponent(id) + "/test");
