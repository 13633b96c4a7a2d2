// The script of the pages for who is not signed in.

import { byId } from "../ui/dom";
import { invitation } from "./invitation";
import { passkey } from "./passkey";

if (byId("invitation")) void invitation();
else passkey();
