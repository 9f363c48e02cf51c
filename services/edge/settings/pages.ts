import type { SettingsPage } from "./model/settings-page.ts";
import { overviewPage } from "./overview/page.ts";

/** All pages of the settings. A path without parameters precedes those that would match it. */
export const pages: readonly SettingsPage[] = [overviewPage];
