// The script of the page that an invitation opens.

import { invitation } from "./invitation";

void invitation();
