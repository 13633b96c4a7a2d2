// The script of the pages for who is not signed in.

import { byId } from "../ui/dom";
import { invitation } from "./invitation";
import { passkey } from "./passkey";

// What the address names is shown once somebody has signed in.
for (const form of document.querySelectorAll<HTMLFormElement>("form[method=post]")) form.action += location.hash;

if (byId("invitation")) void invitation();
else passkey();
