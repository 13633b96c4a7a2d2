// What a platform answers while it is being connected.

import type { Finding } from "../../types";

export interface Place {
  id: string;
  name: string;
  within?: string;
  link?: string;
  sites?: string[];
  problem?: string;
  fix?: string;
}

export interface Setup {
  step: "token" | "place" | "done";
  bot?: string;
  link?: string;
  code?: string;
  place?: Place;
  places: Place[];
  findings: Finding[];
}
