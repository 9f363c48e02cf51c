import { type ApiKey, Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { receivedText } from "#shared/texts/texts.ts";
import { type Html, html, isolated } from "../../pages/html.ts";
import { code, docsLink, link, moment, panel, rowList } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { requireEntries } from "../components/required-entries.ts";
import { secretView } from "../components/secret-view.ts";
import type { SentForm, SettingsPage, Visit } from "../model/settings-page.ts";

/** The choices for how long a replaced key keeps working, in seconds. */
const graces = ["0", "3600", "86400", "604800", "2592000"] as const;

/** Lists, creates, replaces and revokes API keys. */
export const keysPage: SettingsPage = {
  path: "/keys",
  section: "keys",
  async show(visit) {
    const { text } = visit;
    const planNotice = await planNoticeOf(visit);
    const [title, lead] = [text("settings.keys.newKey"), text("settings.keys.use")];
    const further = docsLink(visit.language, "2-list-the-first-page");
    if (visit.secret !== undefined)
      return secretView(visit, visit.secret, { section: "keys", title, lead, banner: planNotice, further });
    const { keys } = await visit.registry.stores.listApiKeys({});
    return {
      title: visit.text("settings.shell.sections.keys"),
      lead: text("settings.keys.lead"),
      notice: receivedText(visit.language, `settings.keys.${doneIn(visit)}`),
      content: html`${planNotice}<section class="panel">${rowList(
        keys.map((key) => row(visit, key)),
        text("settings.keys.empty"),
      )}</section>
${panel(text("settings.keys.create"), html`${createForm(visit)}${further}`)}`,
    };
  },
  fields: { label: "label" },
  actions: {
    async create(visit, form) {
      const { apiKey } = await visit.registry.stores.createApiKey({ label: labelIn(visit, form) });
      return { secret: apiKey };
    },
    async roll(visit, form) {
      const seconds = graces.find((grace) => grace === form.text("grace"));
      if (seconds === undefined) throw badRequest("grace", "is unknown");
      const gracePeriod = { seconds: BigInt(seconds) };
      const { apiKey } = await visit.registry.stores.rollApiKey({ keyId: form.text("key"), gracePeriod });
      return { secret: apiKey };
    },
    async rename(visit, form) {
      await visit.registry.stores.renameApiKey({ keyId: form.text("key"), label: labelIn(visit, form) });
      return { path: "/keys?done=renamed" };
    },
    async revoke({ registry }, form) {
      await registry.stores.revokeApiKey({ keyId: form.text("key") });
      return { path: "/keys?done=revoked" };
    },
  },
};

/** Returns the name of the change that has just been made; the empty string if there is none. */
function doneIn({ query }: Visit): string {
  return ["renamed", "revoked"].find((done) => done === query.get("done")) ?? "";
}

/** Returns the label that a form contains. @throws FormRefusal if it is empty */
function labelIn(visit: Visit, form: SentForm): string {
  requireEntries(visit, form, { required: ["label"] });
  return form.text("label");
}

/** Returns a notice that the API needs the Pro plan; undefined if the store has it. */
async function planNoticeOf({ registry, text }: Visit): Promise<Html | undefined> {
  const { store } = await registry.stores.getStore({});
  if (store?.plan === Plan.PRO) return undefined;
  return html`<p class="banner warn">${text("settings.keys.needsPro")} ${link("/plan", text("settings.keys.changePlan"))}</p>`;
}

function createForm(visit: Visit): Html {
  const form = new SettingsForm(visit, "create");
  return form.frame(labelInput(visit, form), { submit: visit.text("settings.keys.create") });
}

function labelInput({ text }: Visit, form: SettingsForm, value = ""): Html {
  const charactersMax = textLimits.keyLabel.max;
  const [label, hint] = [text("settings.keys.label"), text("settings.keys.labelHint")];
  return form.text({ name: "label", label, hint, value, charactersMax, isRequired: true });
}

function row(visit: Visit, key: ApiKey) {
  const { keyId, prefix, label, createdAt, lastUsedAt, validUntil } = key;
  const { language, text } = visit;
  const isRolled = validUntil !== undefined;
  return {
    title: isolated(label),
    details: [
      prefix === "" ? undefined : code(`${prefix}…`),
      html`${text("settings.keys.created")} ${moment(createdAt, language)}`,
      lastUsedAt === undefined
        ? text("settings.keys.neverUsed")
        : html`${text("settings.keys.lastUsed")} ${moment(lastUsedAt, language)}`,
      isRolled ? html`${text("settings.keys.validUntil")} ${moment(validUntil, language)}` : undefined,
    ],
    more: html`<div class="disclosures">${renameForm(visit, key)}${!isRolled && rollForm(visit, keyId)}${revokeForm(visit, keyId)}</div>`,
  };
}

function renameForm(visit: Visit, { keyId, label }: ApiKey): Html {
  const form = new SettingsForm(visit, "rename", keyId);
  const fields = html`${form.hidden("key", keyId)}${labelInput(visit, form, label)}`;
  return form.disclosed(fields, { submit: visit.text("settings.keys.rename"), kind: "quiet" });
}

function rollForm(visit: Visit, keyId: string): Html {
  const { text } = visit;
  const form = new SettingsForm(visit, "roll", keyId);
  const options = graces.map((value) => ({ value, label: text(`settings.keys.graces.${value}`) }));
  const fields = html`<p class="hint">${text("settings.keys.rollLead")}</p>${form.hidden("key", keyId)}
${form.select({ name: "grace", label: text("settings.keys.grace"), value: "86400", options })}`;
  return form.disclosed(fields, { submit: text("settings.keys.roll") });
}

function revokeForm(visit: Visit, keyId: string): Html {
  const form = new SettingsForm(visit, "revoke", keyId);
  const fields = html`<p class="hint">${visit.text("settings.keys.revokeLead")}</p>${form.hidden("key", keyId)}`;
  return form.disclosed(fields, { submit: visit.text("settings.keys.revoke"), kind: "danger" });
}
