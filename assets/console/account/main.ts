// The two pages before the console: signing in and accepting an invitation.

import { invitation } from "./invitation";

if (document.getElementById("invitation")) void invitation();
