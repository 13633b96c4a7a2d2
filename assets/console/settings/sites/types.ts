// What the parts of the page of websites share.

import type { Site } from "../../types";

export interface Acts {
  // changed reads the list again, show shows a site's snippet.
  changed(): Promise<void>;
  show(id: string): Promise<void>;
}

export const sitePath = (s: Site): string => "/sites/" + encodeURIComponent(s.id);
