import { type ApiKey, Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import { code, disclosure, isolated, link, moment, panel, rowList, secretOnce } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { FormRefusal, type Outcome, type SettingsPage, type Visit } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { words } from "../words/texts.ts";
import { texts } from "./texts.ts";

/** The choices for how long a replaced key keeps working, in seconds. */
const graces = ["0", "3600", "86400", "604800", "2592000"] as const;

/** Lists, creates, replaces and revokes API keys. */
export const keysPage: SettingsPage = {
  path: "/keys",
  section: "keys",
  async show(visit) {
    const { keys } = await visit.registry.keys.listApiKeys({});
    const { lead, empty, create, revoked } = texts[visit.language];
    const planNotice = await planNoticeOf(visit);
    return {
      title: shellTexts[visit.language].sections.keys,
      lead,
      notice: visit.query.get("done") === "revoked" ? revoked : undefined,
      content: html`${planNotice}<section class="panel">${rowList(
        keys.map((key) => row(visit, key)),
        empty,
      )}</section>
${panel(create, createForm(visit))}`,
    };
  },
  actions: {
    async create(visit, form) {
      const label = form.text("label");
      const { tooLong } = texts[visit.language];
      if (label === "") throw new FormRefusal([{ field: "label", text: words[visit.language].required }]);
      if (label.length > textLimits.keyLabel.max) throw new FormRefusal([{ field: "label", text: tooLong }]);
      // Before the key is created: its response is the only one that contains the key.
      const planNotice = await planNoticeOf(visit);
      const { apiKey } = await visit.registry.keys.createApiKey({ label });
      return keyView(visit, apiKey, planNotice);
    },
    async roll(visit, form) {
      const seconds = graces.find((grace) => grace === form.text("grace"));
      if (seconds === undefined) throw badRequest("grace", "is unknown");
      const gracePeriod = { seconds: BigInt(seconds) };
      const planNotice = await planNoticeOf(visit);
      const { apiKey } = await visit.registry.keys.rollApiKey({ keyId: form.text("key"), gracePeriod });
      return keyView(visit, apiKey, planNotice);
    },
    async revoke({ registry }, form) {
      await registry.keys.revokeApiKey({ keyId: form.text("key") });
      return { path: "/keys?done=revoked" };
    },
  },
};

/** Returns a notice that the API needs the Pro plan; undefined if the store has it. */
async function planNoticeOf({ registry, language }: Visit): Promise<Html | undefined> {
  const { store } = await registry.store.getStore({});
  if (store?.plan === Plan.PRO) return undefined;
  const { needsPro, changePlan } = texts[language];
  return html`<p class="banner warn">${needsPro} ${link("/plan", changePlan)}</p>`;
}

function keyView({ language }: Visit, apiKey: string, planNotice: Html | undefined): Outcome {
  const { newKey, use } = texts[language];
  const { keys } = shellTexts[language].sections;
  return {
    view: {
      title: newKey,
      parent: { path: "/keys", title: keys },
      content: html`${planNotice}<section class="panel"><p>${use}</p>
${secretOnce(apiKey, language)}
<p class="more">${link("/keys", keys, "button")}</p></section>`,
    },
  };
}

function createForm(visit: Visit): Html {
  const { label, labelHint, create } = texts[visit.language];
  const form = new SettingsForm(visit, "create");
  const charactersMax = textLimits.keyLabel.max;
  return form.frame(form.text({ name: "label", label, hint: labelHint, charactersMax, isRequired: true }), {
    submit: create,
  });
}

function row(visit: Visit, { keyId, prefix, label, createdAt, lastUsedAt, validUntil }: ApiKey) {
  const { language } = visit;
  const { created, lastUsed, neverUsed, validUntil: until } = texts[language];
  const isRolled = validUntil !== undefined;
  return {
    title: isolated(label),
    details: [
      prefix === "" ? undefined : code(`${prefix}…`),
      html`${created} ${moment(createdAt, language)}`,
      lastUsedAt === undefined ? neverUsed : html`${lastUsed} ${moment(lastUsedAt, language)}`,
      isRolled ? html`${until} ${moment(validUntil, language)}` : undefined,
    ],
    more: html`<div class="disclosures">${!isRolled && rollForm(visit, keyId)}${revokeForm(visit, keyId)}</div>`,
  };
}

function rollForm(visit: Visit, keyId: string): Html {
  const { roll, rollLead, grace, graces: names } = texts[visit.language];
  const form = new SettingsForm(visit, "roll", keyId);
  const options = graces.map((value) => ({ value, label: names[value] }));
  const fields = html`<p class="hint">${rollLead}</p>${form.hidden("key", keyId)}
${form.select({ name: "grace", label: grace, value: "86400", options })}`;
  return disclosure(roll, form.frame(fields, { submit: roll }), form.isRefused);
}

function revokeForm(visit: Visit, keyId: string): Html {
  const { revoke, revokeLead } = texts[visit.language];
  const form = new SettingsForm(visit, "revoke", keyId);
  const fields = html`<p class="hint">${revokeLead}</p>${form.hidden("key", keyId)}`;
  return disclosure(revoke, form.frame(fields, { submit: revoke, kind: "danger" }), form.isRefused);
}
