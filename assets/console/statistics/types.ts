// The statistics as the admin API has them.

export interface Totals {
  conversations: number;
  answered: number;
  closed: number;
  visitorMessages: number;
  operatorMessages: number;
  aiMessages: number;
  firstResponseMedianSeconds: number | null;
  firstResponseP90Seconds: number | null;
  resolutionMedianSeconds: number | null;
  resolutionP90Seconds: number | null;
  aiConversations: number;
  aiOnlyConversations: number;
  aiShare: number | null;
  aiHandBacks: number;
  ratings: number;
  averageScore: number | null;
}

export interface Day {
  date: string;
  conversations: number;
  closed: number;
  visitorMessages: number;
  operatorMessages: number;
  aiMessages: number;
}

export interface Group {
  name: string;
  messages: number;
  conversations: number;
  firstResponses: number;
  firstResponseMedianSeconds: number | null;
  firstResponseP90Seconds: number | null;
}

export interface Statistics {
  from: string;
  to: string;
  timezone: string;
  totals: Totals;
  previous: Totals;
  waiting: { count: number; since?: string };
  days: Day[];
  hours: { hour: number; conversations: number; messages: number }[];
  week: number[][];
  people: Group[];
  channels: Group[];
  ratings: { scores: number[]; comments: { sessionId: string; score: number; comment: string; at: string }[] };
  charts: Record<string, string>;
}
