import { OwnerDisplay, type Store, EditionStyle as Style } from "#gen/registry/v1/store_admin_service_pb.js";
import { type EditionStyle, editionStyles, formatEdition } from "#shared/certificates/edition.ts";
import { supportedLanguages } from "#shared/text/supported-languages.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import { messagesOf, supportedLanguage } from "../../pages/messages/languages.ts";
import { panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { logoActions, logoPanel, logoUploads } from "../logo/logo-panel.ts";
import { FormRefusal, type SettingsPage, type Visit } from "../model/settings-page.ts";
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
      notice: visit.query.get("done") === "saved" ? saved : undefined,
      content: html`${store && settingsPanel(visit, store)}${logoPanel(visit, store?.logo)}${samplePanel(visit)}`,
    };
  },
  uploads: logoUploads,
  actions: {
    ...logoActions,
    async save(visit, form) {
      const displayName = form.text("name");
      if (displayName.length > textLimits.displayName.max)
        throw new FormRefusal([{ field: "name", text: texts[visit.language].tooLong }]);
      await visit.registry.store.updateSettings({
        displayName,
        verifyBaseUrl: form.text("links"),
        language: form.text("language"),
        ownerDisplay: owners[ownerNames.find((name) => name === form.text("owner")) ?? "nothing"],
        editionStyle: styles[editionStyles.find((name) => name === form.text("edition")) ?? "number_total"],
      });
      return { path: "/store?done=saved" };
    },
    async sample(visit, form) {
      const title = form.text("title");
      if (title === "") throw new FormRefusal([{ field: "title", text: words[visit.language].required }]);
      const { certificateIds } = await visit.registry.certificates.createSamples({ products: [{ title }] });
      return { path: `/store?sample=${certificateIds[0] ?? ""}` };
    },
  },
};

function settingsPanel(visit: Visit, store: Store): Html {
  const form = new SettingsForm(visit, "save");
  const words = texts[visit.language];
  const style = editionStyles.find((name) => styles[name] === store.editionStyle) ?? "number_total";
  return html`<section class="panel">${form.frame(
    html`${form.text({
      ...{ name: "name", label: words.name, hint: words.nameHint(store.shop), value: store.displayName },
      charactersMax: textLimits.displayName.max,
    })}
${form.select({
  ...{ name: "language", label: words.language, hint: words.languageHint },
  value: supportedLanguage(store.language) ?? "en",
  options: supportedLanguages.map((value) => ({ value, label: messagesOf[value].languageName })),
})}
${form.choice({
  ...{ name: "owner", label: words.owner },
  value: ownerNames.find((name) => owners[name] === store.ownerDisplay) ?? "nothing",
  options: ownerNames.map((value) => ({ value, label: words.owners[value], detail: ownerExamples[value] })),
})}
${form.choice({
  ...{ name: "edition", label: words.edition, value: style },
  options: editionStyles.map((value) => {
    return {
      value,
      label: words.editions[value],
      detail: html`<bdi lang="en">${formatEdition(exampleEdition, value)}</bdi>`,
    };
  }),
})}
${form.text({
  ...{
    name: "links",
    label: words.links,
    hint: words.linksHint,
    value: store.verifyBaseUrl,
    type: "url",
    isCode: true,
  },
  charactersMax: textLimits.url.max,
})}`,
    { submit: words.save },
  )}</section>`;
}

const ownerExamples = { nothing: undefined, initials: "A. L.", name: "Ada Lovelace" } as const;

function samplePanel(visit: Visit): Html {
  const { sample, sampleLead, sampleTitle, createSample, openSample } = texts[visit.language];
  const form = new SettingsForm(visit, "sample");
  const id = /^smp_[0-9a-z]+$/.exec(visit.query.get("sample") ?? "")?.[0];
  const fields = form.text({
    name: "title",
    label: sampleTitle,
    charactersMax: textLimits.productTitle.max,
    isRequired: true,
  });
  return panel(
    sample,
    html`${id && html`<p><a class="button" href="/verify/${id}" target="_blank" rel="noopener">${openSample}</a></p>`}
${form.frame(fields, { submit: createSample, kind: "quiet" })}`,
    sampleLead,
  );
}
