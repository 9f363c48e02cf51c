import { Command } from "commander";
import { addCataloguePut } from "./commands/catalogue-put.ts";
import { addCertificateHistory } from "./commands/certificate-history.ts";
import { addCertificateIssue } from "./commands/certificate-issue.ts";
import { addCertificateReactivate } from "./commands/certificate-reactivate.ts";
import { addCertificateRevoke } from "./commands/certificate-revoke.ts";
import { addCertificateShow } from "./commands/certificate-show.ts";
import { addCertificateTransfer } from "./commands/certificate-transfer.ts";
import { addDeliveryList } from "./commands/delivery-list.ts";
import { addDeliveryAgain } from "./commands/delivery-redeliver.ts";
import { addImportOrders } from "./commands/import-orders.ts";
import { addKeyCreate } from "./commands/key-create.ts";
import { addKeyList } from "./commands/key-list.ts";
import { addKeyRevoke } from "./commands/key-revoke.ts";
import { addKeyRoll } from "./commands/key-roll.ts";
import { addPlanSet } from "./commands/plan-set.ts";
import { addQuarantineList } from "./commands/quarantine-list.ts";
import { addReportList } from "./commands/report-list.ts";
import { addSampleCreate } from "./commands/sample-create.ts";
import { addSecretsReseal } from "./commands/secrets-reseal.ts";
import { addStoreCreate } from "./commands/store-create.ts";
import { addStoreList } from "./commands/store-list.ts";
import { addWebhookRemove } from "./commands/webhook-remove.ts";
import { addWebhookRotateBegin } from "./commands/webhook-rotate-begin.ts";
import { addWebhookRotateCancel } from "./commands/webhook-rotate-cancel.ts";
import { addWebhookRotateFinish } from "./commands/webhook-rotate-finish.ts";
import { addWebhookRotateSwitch } from "./commands/webhook-rotate-switch.ts";
import { addWebhookSet } from "./commands/webhook-set.ts";
import { addWebhookShow } from "./commands/webhook-show.ts";
import { addWebhookTest } from "./commands/webhook-test.ts";
import { addWebhookVerify } from "./commands/webhook-verify.ts";

const defaultRegistry = "127.0.0.1:9090";

/** The certctl program, with all its commands. @param env `CERTCTL_REGISTRY` and `CERTCTL_STORE` give defaults */
export function buildCertctl(env: Readonly<Record<string, string | undefined>>): Command {
  const program = new Command("certctl")
    .description("Works the certificate registry through its gRPC API.")
    .option("--registry <host:port>", "the registry's gRPC address", env.CERTCTL_REGISTRY ?? defaultRegistry)
    .option("--store <domain or id>", "the store; default: the registry's only one", env.CERTCTL_STORE)
    .showHelpAfterError("(certctl --help shows all commands)");
  const group = (name: string, description: string) => program.command(name).description(description);
  addImportOrders(group("import", "bring certificates in"));
  const certificate = group("certificate", "certificates, one at a time");
  addCertificateIssue(certificate);
  addCertificateShow(certificate);
  addCertificateHistory(certificate);
  addCertificateRevoke(certificate);
  addCertificateReactivate(certificate);
  addCertificateTransfer(certificate);
  addReportList(group("report", "problems that buyers reported"));
  addSampleCreate(group("sample", "sample certificates"));
  const store = group("store", "stores");
  addStoreCreate(store);
  addStoreList(store);
  addPlanSet(group("plan", "a store's plan"));
  const key = group("key", "a store's API keys");
  addKeyCreate(key);
  addKeyList(key);
  addKeyRoll(key);
  addKeyRevoke(key);
  const webhook = group("webhook", "a store's webhook");
  addWebhookSet(webhook);
  addWebhookShow(webhook);
  addWebhookRemove(webhook);
  addWebhookTest(webhook);
  addWebhookVerify(webhook);
  const rotate = webhook
    .command("rotate")
    .description("replace the signing secret without a gap: begin, switch, finish");
  addWebhookRotateBegin(rotate);
  addWebhookRotateSwitch(rotate);
  addWebhookRotateFinish(rotate);
  addWebhookRotateCancel(rotate);
  addSecretsReseal(group("secrets", "how secrets are stored"));
  addQuarantineList(group("quarantine", "messages that could not be read"));
  const delivery = group("delivery", "what became of a store's webhook messages");
  addDeliveryList(delivery);
  addDeliveryAgain(delivery);
  addCataloguePut(group("catalogue", "a store's products"));
  return program;
}
