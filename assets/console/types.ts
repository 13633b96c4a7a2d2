// The shapes of the admin API that the console uses.

import type { Attachment, Message as WidgetMessage } from "../widget/relay-chat";

export type { Attachment };

// Message is a message as operators see it: the widget's, with notes, drafts and sources.
export interface Message extends WidgetMessage {
  // draft marks a note of the AI that an operator may send; sentAt is when one did.
  draft?: true;
  sentAt?: string;
  // sources are the pages that an AI's answer cites.
  sources?: { title: string; url: string }[];
  // buttons are what the visitor is offered.
  buttons?: { text: string; url?: string }[];
  // internal marks a note of operators, which no visitor sees.
  internal?: true;
  // local is set for a message that the server has not confirmed yet.
  local?: Pending;
}

// Pending is what an operator has written and relay has not confirmed yet.
export interface Pending {
  // clientId is that of the request too: however often it is repeated, relay stores the message once.
  clientId: string;
  sessionId: string;
  content: string;
  attachments: Attachment[];
  replyTo?: string;
  internal?: true;
  operatorName?: string;
  // at is when it was written, which is the order of sending.
  at: number;
  // tried: an attempt failed, so that it waits for relay.
  tried?: true;
  // refused is why it was not sent. It is not tried again by itself.
  refused?: string;
}

export interface Csat {
  askedAt?: string;
  score?: number;
  comment?: string;
  respondedAt?: string;
}

export interface Session {
  id: string;
  visitorId: string;
  // site is the website's id, where there are several.
  site?: string;
  status: "open" | "closed";
  blocked: boolean;
  createdAt: string;
  lastActivity: string;
  visitorOnline: boolean;
  aiActive: boolean;
  // aiEnded: an operator ended the AI in this session, or it handed over.
  aiEnded?: boolean;
  metadata: Record<string, string | undefined>;
  identity?: Record<string, unknown>;
  verified: boolean;
  preChat?: Record<string, unknown>;
  unread: number;
  // nickname is what a visitor without a name is called.
  nickname: string;
  // contactName is what the team calls the visitor.
  contactName?: string;
  tags: string[];
  snoozedUntil?: string | undefined;
  // waitingSince is the time of the visitor's first message without an answer.
  waitingSince?: string | undefined;
  // mergedWith are other conversations of the same person, and goesOnIn the one of them in which the visitor wrote last.
  mergedWith?: string[];
  goesOnIn?: string;
  assignee?: { id: string; name: string } | undefined;
  lastMessage?: Message;
  csat?: Csat;
  // undelivered comes with a single session only.
  undelivered?: Undelivered[];
}

// Site is a website. The first one's id is "main".
export interface Site {
  id: string;
  name: string;
  address?: string;
  color?: string;
  publicKey: string;
  origins: string[];
  archivedAt?: string;
  erasedAt?: string;
  // declaredIn is the file that declares the site.
  declaredIn?: string;
  // snippet and conversations come with a single site only.
  snippet?: string;
  conversations?: number;
}

// Counts are how many conversations each list has, at most 1000.
export interface Counts {
  waiting: number;
  open: number;
  closed: number;
  snoozed: number;
  mine: number;
  unassigned: number;
  tags: { name: string; count: number }[];
  // sites are how many wait at each site, where there are several.
  sites?: Record<string, number>;
}

// Undelivered is a delivery that failed for good, or that failed often and is retried.
export interface Undelivered {
  id: string;
  dest: string;
  messageId?: string;
  state: "failed" | "retrying";
  reason: string;
}

// WebhookTest is a receiver's response to a test event.
export interface WebhookTest {
  ok: boolean;
  status: number;
  body: string;
  durationMs: number;
  error?: string;
}

// Entry is something that happened in a session beside its messages: it stands
// behind one of them, or before all. data has the fields of the event.
export interface Entry {
  type: string;
  at: string;
  after: string;
  data: Record<string, unknown>;
}

// Presence is whether operators are there, why, and who has the console open.
export interface Presence {
  online: boolean;
  mode: "automatic" | "online" | "away";
  until?: string;
  // hoursEnd is when the business hours end that make it online, backAt when somebody is back.
  hoursEnd?: string;
  backAt?: string;
  operators: { name: string; active: boolean }[];
}

// Bridge is how a bridge to a platform is doing.
export interface Bridge {
  name: string;
  state: "off" | "starting" | "running" | "failing" | "misconfigured";
  receive: string;
  missing: string[];
  lastError?: string;
  fix?: string;
  details?: string;
  queue: number;
  deliveredAt?: string;
  failed?: Trouble;
  retrying?: Trouble;
  sites?: SiteChannel[];
}

// SiteChannel is how the channel is doing that a website has of its own.
export interface SiteChannel extends Pick<Bridge, "state" | "lastError" | "fix" | "details"> {
  site: string;
  channel: string;
}

// BridgeKind is a platform in words, and what it asks for to be connected; see schema/openapi.yaml.
export interface BridgeKind {
  name: string;
  title: string;
  about: string;
  icon: { colour: string; shape?: string; dots?: string; lines?: string };
  channel: string;
  make?: string;
  tokens: BridgeToken[];
  place: string;
  waiting: string;
  use: string;
  add?: string;
  addButton?: string;
  member?: string;
  options: { setting: string; control: "secret" | "check" | "text"; label: string; hint: string; none?: string; longest?: number }[];
}

export interface BridgeToken {
  setting: string;
  label: string;
  placeholder?: string;
  hint: string;
  link?: { url: string; text: string };
  whole?: string;
  wrong: string;
  looks: string;
}

// Trouble counts failing deliveries, with the reason of the newest.
export interface Trouble {
  count: number;
  reason: string;
}

// Finding is what a bridge found when it looked at itself.
export interface Finding {
  subject: string;
  level: "ok" | "warn" | "fail";
  text: string;
  fix?: string;
  details?: string;
}

// Delivery is an event on its way to the webhook or to a bridge.
export interface Delivery {
  id: string;
  webhookId: string;
  sessionId: string;
  type: string;
  state: "pending" | "sending" | "done" | "failed";
  attempts: number;
  nextAt: string;
  lastError?: string;
  tries: Try[];
  createdAt: string;
}

// Try is one attempt at a delivery; a receiver that did not answer has no status.
export interface Try {
  at: string;
  status?: number;
  durationMs: number;
  error?: string;
}

// StreamEvent is one event of the admin stream. Message events carry the
// message's own fields beside type and sessionId.
export interface StreamEvent {
  type: string;
  sessionId: string;
  [field: string]: unknown;
}

// SavedAnswer is the text behind !name.
export interface SavedAnswer {
  name: string;
  content: string;
  // site is the website for whose visitors it is, where there are several; without one it is for all.
  site?: string;
  // own: the person's alone.
  own?: true;
  savedBy?: string;
  updatedAt: string;
}

// AI is how the AI is doing; its state is "off" when there is none.
export interface AI {
  state: "off" | "running" | "failing";
  mode: string;
  lastError?: string;
  fix?: string;
  tokensToday: number;
  dailyTokens: number; // 0 is no limit
  answersToday: number;
  // costToday is what the tokens cost, where the price is known.
  costToday?: string;
  handedOverToday: number;
}
