import { SecretRole } from "#gen/registry/v1/notifier_service_pb.js";
import { RotationStep, type WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { disclosure, facts, link, moment, panel, secretOnce } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { Outcome, SettingsPage, Visit } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { secretTexts } from "./secret-texts.ts";

/** The actions that create, replace and remove the signing secret. */
export const secretActions: NonNullable<SettingsPage["actions"]> = {
  async create(visit) {
    const { webhook } = visit.registry;
    const { webhook: current } = await webhook.getWebhook({});
    const { url = "", secrets = [] } = current ?? {};
    // A form that is sent twice must not replace a secret that the merchant has just copied.
    if (url === "" || secrets.length > 0) return { path: "/webhook" };
    const { secret } = await webhook.setWebhook({ url, createSecret: true });
    return secretView(visit, secret);
  },
  async begin(visit) {
    const { secret } = await visit.registry.webhook.rotateWebhookSecret({ step: RotationStep.BEGIN });
    return secretView(visit, secret);
  },
  switch: (visit) => take(visit, RotationStep.SWITCH, "switched"),
  cancel: (visit) => take(visit, RotationStep.CANCEL, "discarded"),
  finish: (visit) => take(visit, RotationStep.FINISH, "dropped"),
  removeSecret: (visit) => take(visit, RotationStep.REMOVE, "unsigned"),
};

type Done = keyof (typeof secretTexts)["en"]["done"];

async function take({ registry }: Visit, step: RotationStep, done: Done): Promise<Outcome> {
  await registry.webhook.rotateWebhookSecret({ step });
  return { path: `/webhook?done=${done}` };
}

function secretView({ language }: Visit, secret: string): Outcome {
  const { newSecret, install } = secretTexts[language];
  const { webhook } = shellTexts[language].sections;
  return {
    view: {
      title: newSecret,
      parent: { path: "/webhook", title: webhook },
      content: html`<section class="panel"><p>${install}</p>
${secretOnce(secret, language)}
<p class="more">${link("/webhook", webhook, "button")}</p></section>`,
    },
  };
}

/** Renders the state of the signing secret, and forms for the possible next steps. */
export function secretPanel(visit: Visit, { secrets }: WebhookSettings): Html {
  const { language } = visit;
  const texts = secretTexts[language];
  const button = (action: string, submit: string, kind: "primary" | "quiet" | "danger" = "quiet", lead = "") =>
    new SettingsForm(visit, action).frame(lead === "" ? "" : html`<p>${lead}</p>`, { submit, kind });
  const [active, other] = secrets;
  if (active === undefined) return panel(texts.title, button("create", texts.create, "primary"), texts.none);
  const isNext = other?.role === SecretRole.NEXT;
  const steps =
    other === undefined
      ? html`${disclosure(texts.begin, button("begin", texts.begin, "primary", texts.beginLead))}
${disclosure(texts.remove, button("removeSecret", texts.remove, "danger", texts.removeLead))}`
      : html`<p>${isNext ? texts.next : texts.previous}</p>
<div class="inline-actions">${
          isNext
            ? html`${button("switch", texts.switch, "primary")}${button("cancel", texts.cancel)}`
            : button("finish", texts.finish, "primary")
        }</div>`;
  return panel(
    texts.title,
    html`${facts([[texts.created, moment(active.createdAt, language)]])}${steps}`,
    texts.active,
  );
}
