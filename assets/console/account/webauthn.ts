// Passkeys: what relay sends and gets is JSON, what browsers work with is bytes.

import { tr } from "../ui/texts";

export function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

function base64url(data: ArrayBuffer | null): string {
  return btoa(String.fromCharCode(...new Uint8Array(data ?? []))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

interface Known {
  id: string;
  type: "public-key";
}

export interface Creation {
  challenge: string;
  rp: PublicKeyCredentialRpEntity;
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: PublicKeyCredentialParameters[];
  excludeCredentials: Known[];
}

export interface Request {
  challenge: string;
}

// lacking says why this page has no passkeys, "" if it has. They work at one address only.
export function lacking(origin: string): string {
  if (origin !== location.origin) return tr("Passkeys work at {origin} only: open the console there.", { origin });
  return "PublicKeyCredential" in window ? "" : tr("This browser does not support passkeys.");
}

// made lets the browser make a passkey.
export async function made(options: Creation): Promise<unknown> {
  const publicKey = { ...options, challenge: bytes(options.challenge), user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((known) => ({ ...known, id: bytes(known.id) })) };
  const credential = (await navigator.credentials.create({ publicKey }).catch(explain)) as PublicKeyCredential;
  const response = credential.response as AuthenticatorAttestationResponse;
  return { id: credential.id, type: credential.type,
    response: { clientDataJSON: base64url(response.clientDataJSON), attestationObject: base64url(response.attestationObject) } };
}

// signed lets the person choose a passkey, which signs.
export async function signed(options: Request): Promise<unknown> {
  const publicKey = { ...options, challenge: bytes(options.challenge), allowCredentials: [] };
  const credential = (await navigator.credentials.get({ publicKey }).catch(explain)) as PublicKeyCredential;
  const response = credential.response as AuthenticatorAssertionResponse;
  return { id: credential.id, type: credential.type,
    response: { clientDataJSON: base64url(response.clientDataJSON), authenticatorData: base64url(response.authenticatorData),
      signature: base64url(response.signature), userHandle: base64url(response.userHandle) } };
}

function explain(error: DOMException): never {
  const words: Record<string, string> = {
    NotAllowedError: tr("This was cancelled, or took too long."),
    InvalidStateError: tr("This device already has one of your passkeys."),
    SecurityError: tr("The browser allows no passkeys at this address."),
  };
  throw new Error(words[error.name] ?? tr("The browser says: {message}", { message: error.message }));
}
