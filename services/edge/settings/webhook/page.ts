import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import type { WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { saveUnlessChanged } from "#shared/rpc/save-unless-changed.ts";
import { receivedText } from "#shared/texts/texts.ts";
import { type Html, html } from "../../pages/html.ts";
import { changedEntries, refuseConflicts } from "../components/changed-entries.ts";
import { docsLink } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { secretView } from "../components/secret-view.ts";
import type { SentForm, SettingsPage, Visit } from "../model/settings-page.ts";
import { isListenToken, listenActions, listenPanel, listenTokenView, receivingSection } from "./listen-panel.ts";
import { checkReceiverUrl, receiverUrlField, sentReceiverUrl } from "./receiver-url.ts";
import { secretActions, secretPanel } from "./secret.ts";
import { testPanel } from "./test-panel.ts";

const formats = { v2: WebhookFormat.V2, v1: WebhookFormat.V1 } as const;

/** Sets up the webhook and its signing secret, and sends test messages. */
export const webhookPage: SettingsPage = {
  path: "/webhook",
  section: "webhook",
  async show(visit) {
    const { text } = visit;
    if (visit.secret !== undefined && isListenToken(visit.secret)) return listenTokenView(visit, visit.secret);
    const [title, lead] = [text("settings.webhook.secret.newSecret"), text("settings.webhook.secret.install")];
    const further = docsLink(visit.language, receivingSection);
    if (visit.secret !== undefined)
      return secretView(visit, visit.secret, { section: "webhook", title, lead, further });
    const { webhook } = await visit.registry.stores.getWebhook({});
    return {
      title: text("settings.shell.sections.webhook"),
      lead: text("settings.webhook.lead"),
      notice: receivedText(visit.language, `settings.webhook.done.${visit.query.get("done")}`),
      content: html`${settingsPanel(visit, webhook)}
${webhook && html`${secretPanel(visit, webhook)}${await testPanel(visit)}`}
${await listenPanel(visit)}
${webhook && removePanel(visit)}`,
    };
  },
  fields: { url: "url" },
  checks: { check: checkReceiverUrl },
  guardedActions: {
    async save(visit, form) {
      const url = await sentReceiverUrl(visit, form);
      await saveUnlessChanged(() => save(visit, form, url));
      return { path: "/webhook?done=saved" };
    },
  },
  actions: {
    async remove(visit) {
      await visit.registry.stores.setWebhook({ url: "" });
      return { path: "/webhook?done=removed" };
    },
    ...secretActions,
    ...listenActions,
  },
  keyedActions: {
    async test(visit, { nonce }) {
      const { deliveryId } = await visit.registry.deliveries.sendTestMessage({ idempotencyKey: nonce });
      return { path: `/webhook?test=${deliveryId}#arrival` };
    },
  },
};

/**
 * Saves what the merchant has changed, unless somebody else has changed the same field since the page was opened; see
 * {@link changedEntries}. The registry saves it only in the version that was compared.
 */
async function save(visit: Visit, form: SentForm, url: string): Promise<void> {
  const { registry, text } = visit;
  const { webhook } = await registry.stores.getWebhook({});
  const current = valuesOf(webhook);
  const { changed, conflicts: changedByBoth } = changedEntries(form, current);
  // A form that still has the URL of a webhook that somebody has removed would set it up again.
  const isRemoved = webhook === undefined && url !== "" && !changed.has("url");
  const conflicts = isRemoved ? (["url"] as const) : changedByBoth;
  const format = text(`settings.webhook.${current.format}`);
  refuseConflicts(visit, conflicts, (field) => (field === "format" ? format : current.url));
  const chosen = form.text("format") === "v1" ? "v1" : "v2";
  const next = {
    url: changed.has("url") ? url : current.url,
    format: formats[changed.has("format") ? chosen : current.format],
    expectedVersion: webhook?.version ?? "",
  };
  await registry.stores.setWebhook(next);
}

function valuesOf(webhook: WebhookSettings | undefined) {
  return { url: webhook?.url ?? "", format: webhook?.format === formats.v1 ? "v1" : "v2" } as const;
}

function settingsPanel(visit: Visit, webhook: WebhookSettings | undefined): Html {
  const { text } = visit;
  const form = new SettingsForm(visit, "save");
  const current = valuesOf(webhook);
  return html`<section class="panel">${form.frame(
    html`${form.shown("url", current.url)}${form.shown("format", current.format)}
${receiverUrlField(form, text("settings.webhook.url"), text("settings.webhook.urlHint"), current.url)}
${form.choice({
  name: "format",
  label: text("settings.webhook.format"),
  hint: text("settings.webhook.formatHint"),
  value: current.format,
  options: [
    { value: "v2", label: text("settings.webhook.v2") },
    { value: "v1", label: text("settings.webhook.v1") },
  ],
})}`,
    { submit: text("settings.webhook.save") },
  )}</section>`;
}

function removePanel(visit: Visit): Html {
  const form = new SettingsForm(visit, "remove").disclosed(html`<p>${visit.text("settings.webhook.removeLead")}</p>`, {
    submit: visit.text("settings.webhook.remove"),
    kind: "danger",
  });
  return html`<section class="panel">${form}</section>`;
}
