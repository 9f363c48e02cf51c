import { OwnerDisplay, type Store, EditionStyle as Style } from "#gen/registry/v1/store_admin_service_pb.js";
import { type EditionStyle, editionStyles, formatEdition } from "#shared/certificates/edition.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { supportedLanguages } from "#shared/text/supported-languages.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import { messagesOf, supportedLanguage } from "../../pages/messages/languages.ts";
import { changedEntries } from "../components/changed-entries.ts";
import { panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { logoActions, logoPanel, logoUploads } from "../logo/logo-panel.ts";
import { FormRefusal, type SentForm, type SettingsPage, type Visit } from "../model/settings-page.ts";
import { reasonText } from "../reasons/reason-text.ts";
import { shellTexts } from "../shell/texts.ts";
import { words } from "../words/texts.ts";
import { texts } from "./texts.ts";

const styles: Readonly<Record<EditionStyle, Style>> = {
  number_total: Style.NUMBER_TOTAL,
  zero_padded: Style.ZERO_PADDED,
  no_of: Style.NO_OF,
  number: Style.NUMBER,
};
const ownerNames = ["nothing", "initials", "name"] as const;
const owners = { nothing: OwnerDisplay.NOTHING, initials: OwnerDisplay.INITIALS, name: OwnerDisplay.NAME };

const exampleEdition = { number: 7, total: 50 };

/** Configures the appearance and language of certificates and their pages, and creates samples. */
export const storePage: SettingsPage = {
  path: "/store",
  section: "store",
  async show(visit) {
    const { store } = await visit.registry.store.getStore({});
    const { lead, saved } = texts[visit.language];
    return {
      title: shellTexts[visit.language].sections.store,
      lead,
      notice: visit.query.get("done") === "saved" ? saved : sampleNotice(visit),
      content: html`${store && settingsPanel(visit, store)}${logoPanel(visit, store?.logo)}${samplePanel(visit)}`,
    };
  },
  uploads: logoUploads,
  actions: {
    ...logoActions,
    async save(visit, form) {
      const { store } = await visit.registry.store.getStore({});
      if (store === undefined) throw new ServiceError("not_found", "There is no such store.");
      const { changed, conflicts } = changedEntries(form, valuesOf(store));
      const { tooLong, changedMeanwhile } = texts[visit.language];
      if (conflicts.length > 0) throw new FormRefusal(conflicts.map((field) => ({ field, text: changedMeanwhile })));
      const displayName = form.text("name");
      if (displayName.length > textLimits.displayName.max) throw new FormRefusal([{ field: "name", text: tooLong }]);
      if (changed.size > 0)
        await visit.registry.store.updateSettings(settingsIn(form, changed)).catch((error: unknown) => {
          throw linksRefusal(visit, error) ?? error;
        });
      return { path: "/store?done=saved" };
    },
    async sample(visit, form) {
      const title = form.text("title");
      if (title === "") throw new FormRefusal([{ field: "title", text: words[visit.language].required }]);
      const { certificateIds } = await visit.registry.certificates.createSamples({ products: [{ title }] });
      return { path: `/store?done=sample&sample=${certificateIds[0] ?? ""}` };
    },
  },
};

/** Returns the current values of the form's fields. */
function valuesOf(store: Store) {
  return {
    name: store.displayName,
    language: supportedLanguage(store.language) ?? "en",
    owner: ownerNames.find((name) => owners[name] === store.ownerDisplay) ?? "nothing",
    edition: editionStyles.find((name) => styles[name] === store.editionStyle) ?? "number_total",
    links: store.verifyBaseUrl,
  } as const;
}

/** Returns only the changed settings; the registry keeps the others. */
function settingsIn(form: SentForm, changed: ReadonlySet<keyof ReturnType<typeof valuesOf>>) {
  const owner = ownerNames.find((name) => name === form.text("owner")) ?? "nothing";
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
function linksRefusal({ language }: Visit, error: unknown): FormRefusal | undefined {
  if (!(error instanceof ServiceError) || error.field !== "verify_base_url") return undefined;
  const reason = reasonText(error.message.slice(error.field.length).trim(), language);
  return new FormRefusal([{ field: "links", text: `${texts[language].linksRefused} ${reason}` }]);
}

/** Returns the confirmation that a sample has been created, with a link to it; undefined if none has been. */
function sampleNotice({ query, language }: Visit): Html | undefined {
  const { sampleCreated, openSample } = texts[language];
  const id = /^smp_[0-9a-z]+$/.exec(query.get("sample") ?? "")?.[0];
  return id === undefined || query.get("done") !== "sample"
    ? undefined
    : html`${sampleCreated} <a href="/verify/${id}" target="_blank" rel="noopener">${openSample}</a>`;
}

function settingsPanel(visit: Visit, store: Store): Html {
  const form = new SettingsForm(visit, "save");
  const words = texts[visit.language];
  const values = valuesOf(store);
  return html`<section class="panel">${form.frame(
    html`${Object.entries(values).map(([name, value]) => form.shown(name, value))}
${form.text({
  name: "name",
  label: words.name,
  hint: words.nameHint(store.shop),
  value: values.name,
  charactersMax: textLimits.displayName.max,
})}
${form.select({
  name: "language",
  label: words.language,
  hint: words.languageHint,
  value: values.language,
  options: supportedLanguages.map((value) => ({ value, label: messagesOf[value].languageName })),
})}
${form.choice({
  name: "owner",
  label: words.owner,
  value: values.owner,
  options: ownerNames.map((value) => ({ value, label: words.owners[value], detail: ownerExamples[value] })),
})}
${form.choice({
  name: "edition",
  label: words.edition,
  value: values.edition,
  options: editionStyles.map((value) => {
    return {
      value,
      label: words.editions[value],
      detail: html`<bdi lang="en">${formatEdition(exampleEdition, value)}</bdi>`,
    };
  }),
})}
${form.text({
  name: "links",
  label: words.links,
  hint: words.linksHint,
  value: values.links,
  type: "url",
  isCode: true,
  charactersMax: textLimits.url.max,
})}`,
    { submit: words.save },
  )}</section>`;
}

const ownerExamples = { nothing: undefined, initials: "A. L.", name: "Ada Lovelace" } as const;

function samplePanel(visit: Visit): Html {
  const { sample, sampleLead, sampleTitle, createSample } = texts[visit.language];
  const form = new SettingsForm(visit, "sample");
  const fields = form.text({
    name: "title",
    label: sampleTitle,
    charactersMax: textLimits.productTitle.max,
    isRequired: true,
  });
  return panel(sample, form.frame(fields, { submit: createSample, kind: "quiet" }), sampleLead);
}
