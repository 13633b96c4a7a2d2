// The people of the team and the links that let them in, as the admin API has them.

interface PlatformName {
  bridge: string;
  name: string;
}

export interface Person {
  id: string;
  name: string;
  email?: string;
  role: string;
  avatar: string;
  // sites are the ids of the websites whose visitors the person answers, undefined for all.
  sites?: string[];
  platformNames: PlatformName[];
}

export interface Invitation {
  id: string;
  role: string;
  email?: string;
  personId?: string;
  sites?: string[];
  expiresAt: string;
  // mailed is what became of the e-mail with the link.
  mailed?: "waiting" | "sent" | "refused" | "unknown";
  mailReason?: string;
}

export interface Link extends Invitation {
  url: string;
  qr: string;
}

// Team is the page that a person is on.
export interface Team {
  refresh(): Promise<void>;
  // done reports a failure and redraws the team.
  done(work: Promise<unknown>, what: string): Promise<void>;
  // showLink shows a link, which relay never shows again.
  showLink(link: Link, title: string): void;
}
