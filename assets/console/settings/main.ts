// The pages of settings, which the console loads when one is opened first.

import { accountPage } from "./account";
import { aiPage } from "./ai";
import { answersPage } from "./answers";
import { channelsPage } from "./channels/index";
import { formsPage } from "./forms";
import { greetingsPage } from "./greetings";
import { hoursPage } from "./hours";
import { mailPage } from "./mail";
import { notificationsPage } from "./notifications";
import { privacyPage } from "./privacy";
import { signOnPage } from "./signon";
import { systemPage } from "./system";
import { start } from "./shell";
import { sitesPage } from "./sites/index";
import { teamPage } from "./team/index";
import { webhookPage } from "./webhook";
import { widgetPage } from "./widget/index";

start({
  channels: channelsPage, widget: widgetPage, forms: formsPage, answers: answersPage, greetings: greetingsPage, hours: hoursPage,
  mail: mailPage, ai: aiPage, webhook: webhookPage, notifications: notificationsPage, privacy: privacyPage, sites: sitesPage,
  team: teamPage, account: accountPage, sso: signOnPage, system: systemPage,
});
