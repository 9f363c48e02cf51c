import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import type { WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import { disclosure, panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { FormRefusal, type SentForm, type SettingsPage, type Visit } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { secretActions, secretPanel } from "./secret.ts";
import { secretTexts } from "./secret-texts.ts";
import { texts } from "./texts.ts";
import { urlMistake } from "./url-mistake.ts";

const formats = { v2: WebhookFormat.V2, v1: WebhookFormat.V1 } as const;

/** Sets up the webhook and its signing secret, and sends test messages. */
export const webhookPage: SettingsPage = {
  path: "/webhook",
  section: "webhook",
  async show(visit) {
    const { webhook } = await visit.registry.webhook.getWebhook({});
    const { lead, saved, removed } = texts[visit.language];
    const notices = { saved, removed, ...secretTexts[visit.language].done };
    return {
      title: shellTexts[visit.language].sections.webhook,
      lead,
      notice: Object.entries(notices).find(([name]) => name === visit.query.get("done"))?.[1],
      content: html`${settingsPanel(visit, webhook)}
${webhook && html`${secretPanel(visit, webhook)}${testPanel(visit)}${removePanel(visit)}`}`,
    };
  },
  actions: {
    async save(visit, form) {
      const url = form.text("url");
      const mistake = await urlMistake(visit, url);
      if (mistake !== "") throw new FormRefusal([{ field: "url", text: mistake }]);
      const format = form.text("format") === "v1" ? WebhookFormat.V1 : WebhookFormat.V2;
      await visit.registry.webhook.setWebhook({ url, format });
      return { path: "/webhook?done=saved" };
    },
    // The page's script calls this action while the merchant types the URL.
    async check(visit, form) {
      return { text: form.text("url") === "" ? "" : await urlMistake(visit, form.text("url")) };
    },
    async test(visit, { nonce }: SentForm) {
      const { deliveryId } = await visit.registry.webhook.sendTestMessage({ idempotencyKey: nonce });
      return { path: `/deliveries?id=${deliveryId}` };
    },
    async remove(visit) {
      await visit.registry.webhook.setWebhook({ url: "" });
      return { path: "/webhook?done=removed" };
    },
    ...secretActions,
  },
};

function settingsPanel(visit: Visit, webhook: WebhookSettings | undefined): Html {
  const { url, urlHint, format, v1, v2, save } = texts[visit.language];
  const form = new SettingsForm(visit, "save");
  const isV1 = webhook?.format === formats.v1;
  return html`<section class="panel">${form.frame(
    html`${form.text({
      name: "url",
      label: url,
      hint: urlHint,
      value: webhook?.url ?? "",
      type: "url",
      isCode: true,
      charactersMax: textLimits.url.max,
      isRequired: true,
      attributes: html` data-check="check" data-output="url-problem"`,
    })}
<p class="live" id="url-problem" role="status"></p>
${form.choice({
  name: "format",
  label: format,
  value: isV1 ? "v1" : "v2",
  options: [
    { value: "v2", label: v2 },
    { value: "v1", label: v1 },
  ],
})}`,
    { submit: save },
  )}</section>`;
}

function testPanel(visit: Visit): Html {
  const { test, testLead, sendTest } = texts[visit.language];
  return panel(test, new SettingsForm(visit, "test").frame("", { submit: sendTest, kind: "quiet" }), testLead);
}

function removePanel(visit: Visit): Html {
  const { remove, removeLead } = texts[visit.language];
  const form = new SettingsForm(visit, "remove").frame(html`<p>${removeLead}</p>`, { submit: remove, kind: "danger" });
  return html`<section class="panel">${disclosure(remove, form)}</section>`;
}
