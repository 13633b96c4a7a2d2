// This browser's subscription to notifications.

import { bytes } from "../account/webauthn";
import { call } from "../api";

export interface Device {
  id: string;
  label: string;
  wants: string;
  content: boolean;
  createdAt: string;
}

export interface Devices {
  publicKey: string;
  devices: Device[];
}

export const devices = (): Promise<Devices> => call<Devices>("GET", "/push");

// lacking says why this browser cannot be notified, "" if it can.
export function lacking(): string {
  if (!isSecureContext) return "Notifications need https. Open the console by its https address.";
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) {
    const apple = /iPhone|iPad/.test(navigator.userAgent);
    return apple ? "On iPhone and iPad, first add this page to the home screen (Share → Add to Home Screen), and open it from there." : "This browser cannot receive notifications while the console is closed.";
  }
  return Notification.permission === "denied" ? "This browser blocks notifications of this page. Allow them in the settings of the page, beside its address, and reload." : "";
}

const registered = (): Promise<ServiceWorkerRegistration> => navigator.serviceWorker.register("/static/worker.js", { scope: "/console" });

// subscription is that of this browser, if it has one.
export async function subscription(): Promise<PushSubscription | null> {
  if (lacking()) return null;
  const known = await navigator.serviceWorker.getRegistration("/console");
  return (await known?.pushManager.getSubscription()) ?? null;
}

// named tells this browser from others.
function named(): string {
  const agent = navigator.userAgent;
  const browser = /Edg\//.test(agent) ? "Edge" : /OPR\//.test(agent) ? "Opera" : /Firefox\//.test(agent) ? "Firefox" : /Chrome\//.test(agent) ? "Chrome" : "Safari";
  const system = /Android/.test(agent) ? "Android" : /iPhone|iPad/.test(agent) ? "iOS" : /Mac OS/.test(agent) ? "macOS" : /Windows/.test(agent) ? "Windows" : "Linux";
  return browser + " on " + system;
}

// subscribe asks for the permission and tells relay of this browser.
export async function subscribe(wants: string, content: boolean): Promise<Device> {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(lacking() || "the permission was not given");
  const { publicKey } = await devices();
  const registration = await registered();
  await navigator.serviceWorker.ready;
  const own = (await registration.pushManager.getSubscription()) ?? (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(publicKey) }));
  return tell(own, wants, content);
}

// tell gives relay the subscription, or what it is wanted for now.
export function tell(own: PushSubscription, wants: string, content: boolean): Promise<Device> {
  const { endpoint, keys } = own.toJSON();
  return call<Device>("POST", "/push/devices", { endpoint, keys, wants, content, label: named() });
}

export const remove = (id: string): Promise<unknown> => call("DELETE", "/push/devices/" + encodeURIComponent(id));

export const test = (id: string): Promise<{ ok: boolean; error?: string }> => call("POST", "/push/devices/" + encodeURIComponent(id) + "/test");
