// module.ts is widget.mjs: the widget for pages that import it. It starts with
// init(), and is the same as that of a snippet on the page.

import "./loader";
import { from } from "./options";

from(import.meta.url);

export default window.RelayChat;
