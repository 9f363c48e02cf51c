import { cataloguePut } from "./commands/catalogue-put.ts";
import { certificateFind } from "./commands/certificate-find.ts";
import { certificateHistory } from "./commands/certificate-history.ts";
import { certificateIssue } from "./commands/certificate-issue.ts";
import { certificateList } from "./commands/certificate-list.ts";
import { certificateNewLink } from "./commands/certificate-new-link.ts";
import { certificateReactivate } from "./commands/certificate-reactivate.ts";
import { certificateRevoke } from "./commands/certificate-revoke.ts";
import { certificateShow } from "./commands/certificate-show.ts";
import { certificateTransfer } from "./commands/certificate-transfer.ts";
import type { CertctlCommand } from "./commands/command.ts";
import { completion } from "./commands/completion.ts";
import { contextList } from "./commands/context-list.ts";
import { contextRemove } from "./commands/context-remove.ts";
import { contextSet } from "./commands/context-set.ts";
import { contextUse } from "./commands/context-use.ts";
import { deliveryList } from "./commands/delivery-list.ts";
import { deliveryRedeliver } from "./commands/delivery-redeliver.ts";
import { doctor } from "./commands/doctor.ts";
import { importOrdersCommand } from "./commands/import-orders.ts";
import { keyCreate } from "./commands/key-create.ts";
import { keyList } from "./commands/key-list.ts";
import { keyRevoke } from "./commands/key-revoke.ts";
import { keyRoll } from "./commands/key-roll.ts";
import { operatorCreate } from "./commands/operator-create.ts";
import { personErase } from "./commands/person-erase.ts";
import { planSet } from "./commands/plan-set.ts";
import { quarantineList } from "./commands/quarantine-list.ts";
import { reportClose } from "./commands/report-close.ts";
import { reportList } from "./commands/report-list.ts";
import { sampleCreate } from "./commands/sample-create.ts";
import { secretsReseal } from "./commands/secrets-reseal.ts";
import { settingsLink } from "./commands/settings-link.ts";
import { settingsSet } from "./commands/settings-set.ts";
import { settingsShow } from "./commands/settings-show.ts";
import { settingsSignOut } from "./commands/settings-sign-out.ts";
import { storeCreate } from "./commands/store-create.ts";
import { storeHistory } from "./commands/store-history.ts";
import { storeList } from "./commands/store-list.ts";
import { storefrontProblems } from "./commands/storefront-problems.ts";
import { storefrontReplay } from "./commands/storefront-replay.ts";
import { storefrontRequests } from "./commands/storefront-requests.ts";
import { storefrontRetry } from "./commands/storefront-retry.ts";
import { storefrontRulesList } from "./commands/storefront-rules-list.ts";
import { storefrontRulesRemove } from "./commands/storefront-rules-remove.ts";
import { storefrontRulesSet } from "./commands/storefront-rules-set.ts";
import { storefrontShow } from "./commands/storefront-show.ts";
import { tlsIssue } from "./commands/tls-issue.ts";
import { triggerCreate } from "./commands/trigger-create.ts";
import { triggerDelete } from "./commands/trigger-delete.ts";
import { triggerList } from "./commands/trigger-list.ts";
import { triggerLog } from "./commands/trigger-log.ts";
import { triggerRotate } from "./commands/trigger-rotate.ts";
import { triggerSwitches } from "./commands/trigger-switch.ts";
import { triggerTest } from "./commands/trigger-test.ts";
import { webhookRemove } from "./commands/webhook-remove.ts";
import { webhookRotate } from "./commands/webhook-rotate.ts";
import { webhookSet } from "./commands/webhook-set.ts";
import { webhookShow } from "./commands/webhook-show.ts";
import { webhookTest } from "./commands/webhook-test.ts";
import { webhookVerify } from "./commands/webhook-verify.ts";

/** All commands of certctl, in the order in which the help lists them. */
export const commands: readonly CertctlCommand[] = [
  importOrdersCommand,
  certificateIssue,
  certificateFind,
  certificateList,
  certificateShow,
  certificateHistory,
  certificateRevoke,
  certificateReactivate,
  certificateTransfer,
  certificateNewLink,
  reportList,
  reportClose,
  personErase,
  sampleCreate,
  storeCreate,
  storeList,
  storeHistory,
  settingsShow,
  settingsSet,
  settingsLink,
  settingsSignOut,
  planSet,
  keyCreate,
  keyList,
  keyRoll,
  keyRevoke,
  webhookSet,
  webhookShow,
  webhookRemove,
  webhookTest,
  webhookVerify,
  ...webhookRotate,
  triggerCreate,
  triggerList,
  triggerLog,
  triggerTest,
  triggerRotate,
  ...triggerSwitches,
  triggerDelete,
  storefrontShow,
  storefrontRulesList,
  storefrontRulesSet,
  storefrontRulesRemove,
  storefrontProblems,
  storefrontRetry,
  storefrontRequests,
  storefrontReplay,
  secretsReseal,
  quarantineList,
  deliveryList,
  deliveryRedeliver,
  cataloguePut,
  operatorCreate,
  tlsIssue,
  contextList,
  contextSet,
  contextUse,
  contextRemove,
  completion,
  doctor,
];

/** The description of each command group, by the last word of the group's name. */
export const groupDescriptions: Readonly<Record<string, string>> = {
  import: "import certificates",
  certificate: "issue, find, show and change certificates",
  report: "problem reports from buyers",
  person: "data protection",
  sample: "sample certificates",
  store: "stores in the registry",
  settings: "a store's settings, and links that open them in a browser",
  plan: "a store's plan",
  key: "a store's API keys",
  webhook: "a store's webhook",
  rotate: "replace the signing secret without downtime: begin, switch, and finish or cancel",
  trigger: "a store's workflow triggers, which receive events with at-least-once delivery",
  storefront: "a store's connection to its storefront platform",
  rules: "rules that decide which ordered products get certificates",
  secrets: "encryption of stored secrets",
  quarantine: "messages that cannot be decoded or published",
  delivery: "webhook messages and their outcomes",
  catalogue: "a store's products",
  operator: "people and programs that call the operator API",
  tls: "TLS certificates for the services and operators",
  context: "named connection settings: registry, TLS files, store",
};
