import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import type { WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { receivedText, textsFor } from "#shared/texts/texts.ts";
import { type Html, html } from "../../pages/html.ts";
import { disclosure } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { secretView } from "../components/secret-view.ts";
import type { SentForm, SettingsPage, Visit } from "../model/settings-page.ts";
import { checkReceiverUrl, receiverUrlField, sentReceiverUrl } from "./receiver-url.ts";
import { secretActions, secretPanel } from "./secret.ts";
import { testPanel } from "./test-panel.ts";

const formats = { v2: WebhookFormat.V2, v1: WebhookFormat.V1 } as const;

/** Sets up the webhook and its signing secret, and sends test messages. */
export const webhookPage: SettingsPage = {
  path: "/webhook",
  section: "webhook",
  async show(visit) {
    const text = textsFor(visit.language);
    const [title, lead] = [text("settings.webhook.secret.newSecret"), text("settings.webhook.secret.install")];
    if (visit.secret !== undefined) return secretView(visit, visit.secret, { section: "webhook", title, lead });
    const { webhook } = await visit.registry.stores.getWebhook({});
    return {
      title: text("settings.shell.sections.webhook"),
      lead: text("settings.webhook.lead"),
      notice: receivedText(visit.language, `settings.webhook.done.${visit.query.get("done")}`),
      content: html`${settingsPanel(visit, webhook)}
${webhook && html`${secretPanel(visit, webhook)}${await testPanel(visit)}${removePanel(visit)}`}`,
    };
  },
  fields: { url: "url" },
  checks: { check: checkReceiverUrl },
  actions: {
    async save(visit, form) {
      const url = await sentReceiverUrl(visit, form);
      const format = form.text("format") === "v1" ? WebhookFormat.V1 : WebhookFormat.V2;
      await visit.registry.stores.setWebhook({ url, format });
      return { path: "/webhook?done=saved" };
    },
    async test(visit, { nonce }: SentForm) {
      const { deliveryId } = await visit.registry.deliveries.sendTestMessage({ idempotencyKey: nonce });
      return { path: `/webhook?test=${deliveryId}#arrival` };
    },
    async remove(visit) {
      await visit.registry.stores.setWebhook({ url: "" });
      return { path: "/webhook?done=removed" };
    },
    ...secretActions,
  },
};

function settingsPanel(visit: Visit, webhook: WebhookSettings | undefined): Html {
  const text = textsFor(visit.language);
  const form = new SettingsForm(visit, "save");
  const isV1 = webhook?.format === formats.v1;
  return html`<section class="panel">${form.frame(
    html`${receiverUrlField(form, text("settings.webhook.url"), text("settings.webhook.urlHint"), webhook?.url)}
${form.choice({
  name: "format",
  label: text("settings.webhook.format"),
  hint: text("settings.webhook.formatHint"),
  value: isV1 ? "v1" : "v2",
  options: [
    { value: "v2", label: text("settings.webhook.v2") },
    { value: "v1", label: text("settings.webhook.v1") },
  ],
})}`,
    { submit: text("settings.webhook.save") },
  )}</section>`;
}

function removePanel(visit: Visit): Html {
  const text = textsFor(visit.language);
  const form = new SettingsForm(visit, "remove").frame(html`<p>${text("settings.webhook.removeLead")}</p>`, {
    submit: text("settings.webhook.remove"),
    kind: "danger",
  });
  return html`<section class="panel">${disclosure(text("settings.webhook.remove"), form)}</section>`;
}
