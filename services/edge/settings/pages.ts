import { certificatePage } from "./certificate/page.ts";
import { csvDownload } from "./certificates/csv.ts";
import { issuePage } from "./certificates/issue-page.ts";
import { certificatesPage } from "./certificates/list-page.ts";
import { printPage } from "./certificates/print-page.ts";
import { sheetsPage } from "./certificates/sheets-page.ts";
import { deliveriesPage } from "./deliveries/page.ts";
import { historyPage } from "./history/page.ts";
import { importPage } from "./import/import-page.ts";
import { rejectedDownload } from "./import/rejected-download.ts";
import { uploadPage } from "./import/upload-page.ts";
import { keysPage } from "./keys/page.ts";
import type { SettingsPage } from "./model/settings-page.ts";
import { overviewPage } from "./overview/page.ts";
import { planPage } from "./plan/page.ts";
import { productsPage } from "./products/list-page.ts";
import { productPage } from "./products/product-page.ts";
import { reportsPage } from "./reports/page.ts";
import { storePage } from "./store/page.ts";
import { storefrontPage } from "./storefront/page.ts";
import { storefrontProblemsPage } from "./storefront/problems-page.ts";
import { dataReportDownload, dataRequestsPage } from "./storefront/requests-page.ts";
import { rulePage } from "./storefront/rule-page.ts";
import { triggerLogPage } from "./triggers/log-page.ts";
import { triggersPage } from "./triggers/page.ts";
import { webhookPage } from "./webhook/page.ts";

/** All pages of the settings. A path without parameters precedes the paths with parameters that would match it. */
export const pages: readonly SettingsPage[] = [
  overviewPage,
  certificatesPage,
  csvDownload,
  issuePage,
  printPage,
  sheetsPage,
  uploadPage,
  importPage,
  rejectedDownload,
  certificatePage,
  productsPage,
  productPage,
  reportsPage,
  storefrontPage,
  rulePage,
  storefrontProblemsPage,
  dataRequestsPage,
  dataReportDownload,
  webhookPage,
  deliveriesPage,
  triggersPage,
  triggerLogPage,
  keysPage,
  storePage,
  planPage,
  historyPage,
];
