// The types of RelayChat, the widget's API. Made from relay's assets/widget/relay-chat.d.ts.

export interface Options {
  /** The public key, pk_… */
  apiKey?: string;
  /** relay's address; by default where the script comes from. */
  apiUrl?: string;
  position?: "left" | "right";
  theme?: "auto" | "light" | "dark";
  /** A language such as "de". */
  locale?: string;
  /** false: no round button. */
  launcher?: boolean;
  /** "inline": the chat stands in an element of the page instead of behind a round button. */
  mode?: "inline";
  /** That element, or a CSS selector for it; by default the chat stands where the script does. */
  target?: string | Element;
  /** A click on what this CSS selector matches opens and closes the chat. */
  launcherSelector?: string;
  /** Loads the chat's files before it is opened, except for visitors who save data. */
  prefetch?: boolean;
  /** false: no sound for new messages. */
  sound?: boolean;
  zIndex?: string | number;
}

export interface LoadOptions extends Options {
  apiKey: string;
  apiUrl: string;
}

export interface Identity {
  id?: string;
  name?: string;
  email?: string;
  phone?: string;
  /** The hex HMAC-SHA256 of id with IDENTITY_SECRET, made by your backend. */
  hash?: string;
  /** The same by the API's name. */
  userHash?: string;
  [attribute: string]: unknown;
}

export interface Attachment {
  id: string;
  filename: string;
  mimeType: string;
  size: number;
  url: string;
  /** Of a voice message: how long it is, and how loud it is where, as 48 bytes in base64. */
  durationMs?: number;
  waveform?: string;
}

/** A quick reply, or with a URL a link. */
export interface Button {
  text: string;
  url?: string;
}

export interface Message {
  id: string;
  sessionId: string;
  content: string;
  sender: "visitor" | "operator" | "ai";
  timestamp: string;
  attachments: Attachment[];
  replyTo?: string;
  buttons?: Button[];
  operatorName?: string;
  sourceBridge?: string;
  clientId?: string;
  editedAt?: string;
  deletedAt?: string;
  deliveredAt?: string;
  readAt?: string;
}

/** What handlers get, by the event's name. */
export interface Events {
  ready: undefined;
  open: undefined;
  close: undefined;
  unread: number;
  message: Message;
  sent: Message;
  messageEdited: Message;
  messageDeleted: Message;
  typing: { active: boolean; operatorName?: string };
  presence: { online: boolean };
  connection: "online" | "offline";
  prechat: Record<string, unknown>;
  csat: { score: number; comment?: string };
  identify: Identity;
  error: { message: string; error?: unknown; clientId?: string };
}

/** The names of what can be called. */
export type Method = { [N in keyof RelayChat]: RelayChat[N] extends (...args: never[]) => unknown ? N : never }[keyof RelayChat];

/** Both RelayChat.open() and RelayChat("open"); the second works before the script has loaded, and then returns nothing. */
export interface RelayChat {
  <N extends keyof Events>(name: "on" | "once" | "off", event: N, handler?: (detail: Events[N]) => void): (() => void) | undefined;
  <N extends Exclude<Method, "on" | "once" | "off">>(name: N, ...args: Parameters<RelayChat[N]>): ReturnType<RelayChat[N]> | undefined;
  readonly version: string;
  readonly isOpen: boolean;
  readonly unread: number;
  init(options?: Options): void;
  destroy(): void;
  reset(options?: { newSession?: boolean }): void;
  /** open(false) leaves the keyboard's focus where it is. */
  open(focus?: boolean): void;
  close(): void;
  toggle(): void;
  show(): void;
  hide(): void;
  identify(identity: Identity): Promise<unknown>;
  /** Adds to what is known of the visitor. */
  setAttributes(attributes: Record<string, unknown>): Promise<unknown>;
  getIdentity(): Identity | null;
  getVisitorId(): string | null;
  setTheme(theme?: "auto" | "light" | "dark"): Promise<unknown>;
  setLocale(locale?: string): Promise<unknown>;
  sendMessage(text: string, options?: { replyTo?: string; attachments?: Attachment[] }): Promise<Message>;
  /** Uploads a file for sendMessage; onProgress gets 0 to 1. */
  uploadFile(file: File, onProgress?: (part: number) => void): Promise<Attachment>;
  setDraft(text: string): Promise<unknown>;
  endChat(): Promise<unknown>;
  requestTranscript(): Promise<unknown>;
  /** Reports an event of the page to the operators. */
  trigger(name: string, data?: unknown, options?: { openWith?: string }): Promise<unknown>;
  /** Listens to what operators send to the page. */
  onEvent(name: string, handler: (data: unknown) => void): () => void;
  on<N extends keyof Events>(name: N, handler: (detail: Events[N]) => void): () => void;
  once<N extends keyof Events>(name: N, handler: (detail: Events[N]) => void): () => void;
  off<N extends keyof Events>(name: N, handler?: (detail: Events[N]) => void): void;
}

declare global {
  interface Window {
    RelayChat?: RelayChat;
  }
}

/** loadRelayChat loads the widget from your relay and starts it with these options. */
export function loadRelayChat(options: LoadOptions): Promise<RelayChat>;
