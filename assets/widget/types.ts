// types.ts names what the widget's files share: the API's objects, the options
// of the snippet, and the three parts (shell, core, panel). It holds
// types only, so it costs no bytes.

import type { Attachment, Button, Message as PublicMessage } from "./relay-chat";

declare global {
  /** Names of the hashed files, put in by the build. */
  const CORE_FILE: string;
  const PANEL_FILE: string;
  const FORMS_FILE: string;
  /** The languages that have texts, and what their files' names end with. */
  const LANGUAGES: string;
  const LANGUAGES_HASH: string;
  /** relay's version, from schema/version.go. */
  const VERSION: string;
  const ACTIONS_FILE: string;
  const ATTENTION_FILE: string;
  const HOME_FILE: string;
  const MENU_FILE: string;
  const RARE_FILE: string;
  const PROACTIVE_FILE: string;
  const UPLOADS_FILE: string;
  const MARKS_FILE: string;
  const PAGE_FILE: string;
  const TOOLS_FILE: string;
  const EMOJI_FILE: string;
  const VOICE_FILE: string;
  const SEEN_FILE: string;
  const LIGHTBOX_FILE: string;
  interface Window {
    /** The snippet's queue at first, the API later. */
    RelayChat?: { q?: ArrayLike<unknown>[] };
  }
}

export interface Source {
  title: string;
  url: string;
}

export type { Attachment, Button };

/** A message as the widget keeps it: the API's, with what pages do not get. */
export interface Message extends PublicMessage {
  /** The person who wrote, if that is one of the team: its face is at /faces/{operatorId}. */
  operatorId?: string;
  /** The pages that an AI's answer cites; [1] in its text is the first. */
  sources?: Source[];
  /** Known only from the response to its sending: the stream gives it its place. */
  unplaced?: boolean;
}

/** An event of the timeline other than a message: after one of them, or before all. */
export interface Entry {
  type: string;
  at: string;
  after: string;
  data: { score?: number };
}

/** A message of this visitor that the server has not confirmed yet. */
export interface Pending {
  clientId: string;
  content: string;
  attachments: Attachment[];
  replyTo?: string;
  at: string;
  /** The conversation for which it was typed; none until there is one. */
  session?: SavedSession | null;
  failed?: boolean;
  /** The visitor is asked before it is sent again. */
  refused?: boolean;
}

export interface FormField {
  name: string;
  type: string;
  label: string;
  required?: boolean;
  options?: string[];
}

export interface PreChatForm {
  required?: boolean;
  timing?: "before_first_message" | "after_first_message";
  fields: FormField[];
}

export interface Config {
  operatorName?: string;
  operatorAvatar?: string;
  primaryColor?: string;
  welcomeMessage?: string;
  offlineMessage?: string;
  position?: string;
  theme?: string;
  language?: string;
  /** Own texts by language: some of these settings, and any of the widget's. */
  texts?: Record<string, Record<string, any>>;
  starters?: string[];
  /** Whether the site sends transcripts by e-mail. */
  mailTranscript?: boolean;
  /** The team sees what the visitor is writing. */
  typingPreview?: boolean;
  headerColor?: string;
  footerColor?: string;
  chatBackground?: string;
  toggleColor?: string;
  darkPrimaryColor?: string;
  darkHeaderColor?: string;
  darkFooterColor?: string;
  darkChatBackground?: string;
  attachments?: { enabled?: boolean; maxBytes?: number; types?: string[] };
  csat?: { enabled?: boolean; style?: string };
  preChatForm?: PreChatForm | null;
}

export interface Csat {
  askedAt?: string;
  score?: number;
  comment?: string;
  respondedAt?: string;
}

export interface Identity {
  id?: string;
  email?: string;
  name?: string;
  [key: string]: unknown;
}

export interface Opening {
  from: string;
  to: string;
}

export interface InitAnswer {
  sessionId: string;
  sessionToken?: string;
  operatorOnline: boolean;
  backAt?: string;
  replySeconds?: number;
  hours?: Opening[];
  messages: Message[];
  timeline?: Entry[];
  hasMore: boolean;
  lastEventId: string | number;
  session?: { status?: string; identity?: Identity | null; csat?: Csat | null; aiActive?: boolean; askContact?: boolean };
  config: Config;
}

export interface Page {
  messages: Message[];
  timeline?: Entry[];
  hasMore: boolean;
  lastEventId: string | number;
}

export interface Upload {
  key: string;
  name: string;
  progress: number;
  attachment?: Attachment;
  error?: string;
  thumbnail?: HTMLCanvasElement;
}

/** Why the chat has ended for good on this page. */
export type Stop = "unauthorized" | "blocked" | "forbidden" | "gone";

export interface State {
  open: boolean;
  /** Whether the last opening may take the keyboard focus. */
  focus: boolean;
  ready: boolean;
  connection: "connecting" | "online" | "offline";
  stop: Stop | null;
  config: Config;
  /** The code of the language that the widget speaks, such as pt. */
  language: string;
  sessionId: string;
  closed: boolean;
  operatorOnline: boolean;
  /** When somebody is back, if nobody is there and it is known. */
  backAt?: string;
  /** How long an answer usually takes, if that is known. */
  replySeconds?: number;
  /** When somebody is there in the coming week, if it is known. */
  hours?: Opening[];
  /** An AI answers while nobody is there. */
  ai: boolean;
  /** The AI handed over, and the server knows neither a name nor an address. */
  askContact?: boolean;
  /** Name of the operator who is typing; empty text if it has none. */
  typing: string | null;
  messages: Message[];
  timeline: Entry[];
  pending: Pending[];
  hasMore: boolean;
  unread: number;
  draft: string;
  uploads: Upload[];
  csat: Csat;
  prechatDone: boolean;
  identity: Identity;
  /** What trigger's openWith says in the operator's place. */
  greeting: { text: string; at: string; after: string } | null;
  /** The last thing that went wrong, in words for the visitor. */
  notice: string;
}

export interface Store {
  readonly state: State;
  set(patch: Partial<State>): void;
  subscribe(fn: () => void): () => void;
}

export interface Options {
  apiKey: string;
  apiUrl: string;
  position?: string;
  theme?: string;
  locale?: string;
  sound?: boolean;
  proactive?: boolean;
  launcher: boolean;
  /** What a click on opens and closes the chat. */
  launcherSelector?: string;
  /** "inline": the chat stands in the page, in the target or behind the script. */
  mode?: string;
  target?: string | Element;
  /** Loads the chat's files before it is opened. */
  prefetch?: boolean;
  zIndex?: string;
}

export interface Storage {
  get<T>(key: string): T | null;
  set(key: string, value: unknown): void;
  keys(prefix: string): string[];
}

/** What remembers a session between pages. */
export interface SavedSession {
  id: string;
  token: string;
  /** The session has at least one message, so it is worth a stream. */
  live: boolean;
  /** The conversation that the server had lost, and that this one continues. */
  after?: string;
}

/** An earlier conversation of this browser: its token is the right to read it. */
export interface Earlier extends SavedSession {
  text: string;
  at: string;
}

/** What the server gives to go on with a conversation. */
export interface Resumed {
  sessionId: string;
  sessionToken?: string;
}

/** How the widget looks, kept for the next page: its side and CSS properties. */
export interface Look {
  side: string;
  /** The launcher's name in the visitor's language. */
  name?: string;
  vars: Record<string, string>;
}

/** The loader's side, as core and panel see it. */
export interface Shell {
  options: Options;
  storage: Storage;
  /** What this tab alone keeps. */
  tab: Storage;
  element: HTMLElement;
  root: ShadowRoot;
  emit(name: string, detail?: unknown): void;
  /** json writes JSON, whatever old libraries have added to arrays. */
  json(value: unknown): string;
  open(focus?: boolean): void;
  close(): void;
  setUnread(count: number): void;
  setLook(look: Look): void;
  /** The launcher; not in the page when the page has its own. */
  button: HTMLElement;
  /** part loads one of the widget's files, once; after a failure it can be asked again. */
  part<T>(file: string): Promise<T>;
}

/** HttpError is an answer other than 2xx; wait is Retry-After in ms, or 0. */
export interface HttpError extends Error {
  status: number;
  wait: number;
}

export interface Client {
  call<T>(method: string, path: string, body?: unknown, keepalive?: boolean, session?: SavedSession | null): Promise<T>;
  /** request is the bare fetch, for the stream. */
  request(path: string, init: RequestInit): Promise<Response>;
  headers(): Record<string, string>;
  /** This tab's conversation; that in storage is the one of the next page. */
  session: SavedSession | null;
  url(path: string): string;
  /** Aborted when the widget is gone; answers after that are not used. */
  life: AbortSignal;
}

/** The conversation's engine, as loader and panel see it. */
export interface Core {
  store: Store;
  client: Client;
  /** words are a section of the texts, in the visitor's language. */
  words<T extends object>(section: string, english: T): T;
  /** spoken resolves once the visitor's language is there. */
  spoken: Promise<unknown>;
  /** What RelayChat passes on, by its name. */
  method(name: string, ...args: unknown[]): Promise<unknown>;
  /** post calls a route of the session, which it waits for. */
  post<T>(path: string, body: object): Promise<T>;
  /** ready resolves with the session's id. */
  ready(): Promise<string>;
  setOpen(open: boolean, focus: boolean): void;
  submit(content: string, replyTo?: string): void;
  retry(clientId: string): void;
  discard(clientId: string): void;
  older(limit?: number): Promise<void>;
  typing(active: boolean): void;
  /** Follows what the settings and the options say of looks and language. */
  adopt(): Promise<void>;
  setDraft(text: string): void;
  /** Continues another session, or starts a new one. */
  change(session: SavedSession | null): Promise<unknown>;
  /** Sends the server the stored identity. */
  identify(): Promise<unknown>;
  notice(text: string): void;
  /** Ends all activity; with a reason the server learns it at once. */
  stop(reason?: "manual"): void;
}

export interface Panel {
  destroy(): void;
}
