import { EditionStyle, OwnerDisplay, type Store } from "#gen/registry/v1/store_admin_service_pb.js";
import { editionStyles } from "#shared/certificates/edition.ts";
import { ownerDisplays } from "#shared/certificates/owner-text.ts";
import { namedValues, valueName } from "#shared/enums/named-values.ts";
import { reasonOf, ServiceError } from "#shared/errors/service-error.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { saveUnlessChanged } from "#shared/rpc/save-unless-changed.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Language, supportedLanguages } from "#shared/texts/languages.ts";
import { receivedText, textsFor } from "#shared/texts/texts.ts";
import { type Html, html } from "../../pages/html.ts";
import { supportedLanguage } from "../../pages/languages.ts";
import { changedEntries, refuseConflicts } from "../components/changed-entries.ts";
import { panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { requireEntries } from "../components/required-entries.ts";
import { logoActions, logoPanel, logoUploads } from "../logo/logo-panel.ts";
import { FormRefusal, type SentForm, type SettingsPage, type Visit } from "../model/settings-page.ts";
import { editionWords } from "../words/edition.ts";

const styles = namedValues(EditionStyle);
const owners = namedValues(OwnerDisplay);

const exampleEdition = { number: 7, total: 50 };

/** Configures the appearance and language of certificates and their pages, and creates samples. */
export const storePage: SettingsPage = {
  path: "/store",
  section: "store",
  async show(visit) {
    const { store } = await visit.registry.stores.getStore({});
    const { text } = visit;
    return {
      title: text("settings.shell.sections.store"),
      lead: text("settings.store.lead"),
      notice: visit.query.get("done") === "saved" ? text("settings.store.saved") : sampleNotice(visit),
      content: html`${store && settingsPanel(visit, store)}${logoPanel(visit, store?.logo)}${samplePanel(visit)}`,
    };
  },
  uploads: logoUploads,
  fields: { display_name: "name", title: "title" },
  guardedActions: {
    async save(visit, form) {
      await saveUnlessChanged(() => save(visit, form)).catch((error: unknown) => {
        throw linksRefusal(visit, error) ?? error;
      });
      return { path: "/store?done=saved" };
    },
  },
  actions: {
    ...logoActions,
    async sample(visit, form) {
      requireEntries(visit, form, { required: ["title"] });
      const products = [{ title: form.text("title") }];
      const { certificateIds } = await visit.registry.issuing.createSamples({ products });
      return { path: `/store?done=sample&sample=${certificateIds[0] ?? ""}` };
    },
  },
};

/**
 * Saves what the merchant has changed, unless somebody else has changed the same field since the page was opened. The
 * registry saves it only in the version that was compared.
 */
async function save(visit: Visit, form: SentForm): Promise<void> {
  const { stores } = visit.registry;
  const { store } = await stores.getStore({});
  if (store === undefined) throw new ServiceError("not_found", "There is no such store.");
  const current = valuesOf(store);
  const { changed, conflicts } = changedEntries(form, current);
  refuseConflicts(visit, conflicts, (field) => shownValue(field, current[field], visit.language));
  if (changed.size === 0) return;
  const { settingsVersion: expectedVersion } = store;
  await stores.updateSettings({ ...settingsIn(form, changed), expectedVersion });
}

function shownValue(field: keyof ReturnType<typeof valuesOf>, value: string, language: Language): string {
  switch (field) {
    case "language":
      return textsFor(supportedLanguage(value) ?? "en")("pages.languageName");
    case "owner":
      return receivedText(language, `settings.store.owners.${value}`) ?? value;
    case "edition":
      return receivedText(language, `settings.store.editions.${value}`) ?? value;
    default:
      return value;
  }
}

function valuesOf(store: Store) {
  return {
    name: store.displayName,
    language: supportedLanguage(store.language) ?? "en",
    owner: valueName(OwnerDisplay, store.ownerDisplay) ?? "nothing",
    edition: valueName(EditionStyle, store.editionStyle) ?? "number_total",
    links: store.verifyBaseUrl,
  } as const;
}

/** Returns only the changed settings; the registry keeps the others. */
function settingsIn(form: SentForm, changed: ReadonlySet<keyof ReturnType<typeof valuesOf>>) {
  const owner = ownerDisplays.find((name) => name === form.text("owner")) ?? "nothing";
  const edition = editionStyles.find((name) => name === form.text("edition")) ?? "number_total";
  return {
    ...(changed.has("name") && { displayName: form.text("name") }),
    ...(changed.has("links") && { verifyBaseUrl: form.text("links") }),
    ...(changed.has("language") && { language: form.text("language") }),
    ...(changed.has("owner") && { ownerDisplay: owners[owner] }),
    ...(changed.has("edition") && { editionStyle: styles[edition] }),
  };
}

/** Converts the registry's refusal of the address of certificate links to a form error; undefined for other errors. */
function linksRefusal({ language, text }: Visit, error: unknown): FormRefusal | undefined {
  if (!(error instanceof ServiceError) || error.field !== "verify_base_url") return undefined;
  const why = reasonText(reasonOf(error), language);
  return new FormRefusal([{ field: "links", text: `${text("settings.store.linksRefused")} ${why}` }]);
}

/** Returns the confirmation that a sample has been created, with a link to it; undefined if none has been. */
function sampleNotice({ query, text }: Visit): Html | undefined {
  const id = /^smp_[0-9a-z]+$/.exec(query.get("sample") ?? "")?.[0];
  return id === undefined || query.get("done") !== "sample"
    ? undefined
    : html`${text("settings.store.sampleCreated")} <a href="/verify/${id}" target="_blank" rel="noopener">${text("settings.store.openSample")}</a>`;
}

function settingsPanel(visit: Visit, store: Store): Html {
  const form = new SettingsForm(visit, "save");
  const { text } = visit;
  const values = valuesOf(store);
  return html`<section class="panel">${form.frame(
    html`${Object.entries(values).map(([name, value]) => form.shown(name, value))}
${form.text({
  name: "name",
  label: text("settings.store.name"),
  hint: text("settings.store.nameHint", { shop: store.shop }),
  value: values.name,
  charactersMax: textLimits.displayName.max,
})}
${form.select({
  name: "language",
  label: text("settings.store.language"),
  hint: text("settings.store.languageHint"),
  value: values.language,
  options: supportedLanguages.map((value) => ({ value, label: textsFor(value)("pages.languageName") })),
})}
${form.choice({
  name: "owner",
  label: text("settings.store.owner"),
  value: values.owner,
  options: ownerDisplays.map((value) => ({
    value,
    label: text(`settings.store.owners.${value}`),
    detail: ownerExamples[value],
  })),
})}
${form.choice({
  name: "edition",
  label: text("settings.store.edition"),
  value: values.edition,
  options: editionStyles.map((value) => {
    return {
      value,
      label: text(`settings.store.editions.${value}`),
      detail: html`<bdi lang="${values.language}">${editionWords(exampleEdition, value, values.language)}</bdi>`,
    };
  }),
})}
${form.text({
  name: "links",
  label: text("settings.store.links"),
  hint: text("settings.store.linksHint"),
  value: values.links,
  type: "url",
  isCode: true,
  charactersMax: textLimits.url.max,
})}`,
    { submit: text("settings.store.save") },
  )}</section>`;
}

const ownerExamples = { nothing: undefined, initials: "A. L.", name: "Ada Lovelace" } as const;

function samplePanel(visit: Visit): Html {
  const { text } = visit;
  const form = new SettingsForm(visit, "sample");
  const fields = form.text({
    name: "title",
    label: text("settings.store.sampleTitle"),
    charactersMax: textLimits.productTitle.max,
    isRequired: true,
  });
  return panel(
    text("settings.store.sample"),
    form.frame(fields, { submit: text("settings.store.createSample"), kind: "quiet" }),
    text("settings.store.sampleLead"),
  );
}
