import { SecretRole } from "#gen/registry/v1/notifier_service_pb.js";
import { RotationStep, type WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { saveUnlessChanged } from "#shared/rpc/save-unless-changed.ts";
import { type Html, html } from "../../pages/html.ts";
import { facts, moment, panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { Outcome, SettingsPage, Visit } from "../model/settings-page.ts";

/** The actions that create, replace and remove the signing secret. */
export const secretActions: NonNullable<SettingsPage["actions"]> = {
  create: ({ registry: { stores } }) =>
    saveUnlessChanged(async () => {
      const { webhook } = await stores.getWebhook({});
      // A form that is sent twice must not replace a secret that the merchant has just copied.
      if (webhook === undefined || webhook.secrets.length > 0) return { path: "/webhook" };
      const { url, version: expectedVersion } = webhook;
      const { secret } = await stores.setWebhook({ url, createSecret: true, expectedVersion });
      return { secret };
    }),
  async begin(visit) {
    const { secret } = await visit.registry.stores.rotateWebhookSecret({ step: RotationStep.BEGIN });
    return { secret };
  },
  switch: (visit) => take(visit, RotationStep.SWITCH, "switched"),
  cancel: (visit) => take(visit, RotationStep.CANCEL, "discarded"),
  finish: (visit) => take(visit, RotationStep.FINISH, "dropped"),
  removeSecret: (visit) => take(visit, RotationStep.REMOVE, "unsigned"),
};

async function take(
  { registry }: Visit,
  step: RotationStep,
  done: "switched" | "discarded" | "dropped" | "unsigned",
): Promise<Outcome> {
  await registry.stores.rotateWebhookSecret({ step });
  return { path: `/webhook?done=${done}` };
}

/** Renders the state of the signing secret, and forms for the possible next steps. */
export function secretPanel(visit: Visit, { secrets }: WebhookSettings): Html {
  const { language, text } = visit;
  const button = (action: string, submit: string, kind: "primary" | "quiet" = "quiet") =>
    new SettingsForm(visit, action).frame("", { submit, kind });
  const disclosed = (action: string, submit: string, kind: "primary" | "danger", lead: string) =>
    new SettingsForm(visit, action).disclosed(html`<p>${lead}</p>`, { submit, kind });
  const [active, other] = secrets;
  if (active === undefined)
    return panel(
      text("settings.webhook.secret.title"),
      button("create", text("settings.webhook.secret.create"), "primary"),
      text("settings.webhook.secret.none"),
    );
  const isNext = other?.role === SecretRole.NEXT;
  const steps =
    other === undefined
      ? html`${disclosed("begin", text("settings.webhook.secret.begin"), "primary", text("settings.webhook.secret.beginLead"))}
${disclosed("removeSecret", text("settings.webhook.secret.remove"), "danger", text("settings.webhook.secret.removeLead"))}`
      : html`<p>${isNext ? text("settings.webhook.secret.next") : text("settings.webhook.secret.previous")}</p>
<div class="inline-actions">${
          isNext
            ? html`${button("switch", text("settings.webhook.secret.switch"), "primary")}${button("cancel", text("settings.webhook.secret.cancel"))}`
            : button("finish", text("settings.webhook.secret.finish"), "primary")
        }</div>`;
  return panel(
    text("settings.webhook.secret.title"),
    html`${facts([[text("settings.webhook.secret.created"), moment(active.createdAt, language)]])}${steps}`,
    text("settings.webhook.secret.active"),
  );
}
