import { ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { html } from "../../pages/html.ts";
import { badge, isolated, link, moment, panel, rowList } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { FormRefusal, type SettingsPage } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { stateTones, stateWord } from "./states.ts";
import { texts } from "./texts.ts";
import { uploadFile } from "./upload-file.ts";
import { uploadTexts } from "./upload-texts.ts";

/** Lists the imports. Uploads a file of orders and starts a dry run of its import. */
export const uploadPage: SettingsPage = {
  path: "/certificates/import",
  section: "certificates",
  async show(visit) {
    const { registry, language } = visit;
    const { imports } = await registry.imports.listImports({});
    const text = uploadTexts[language];
    const form = new SettingsForm(visit, "upload");
    const input = form.file({ name: "file", label: text.file, hint: text.fileHint, accept: ".csv,text/csv" });
    const rows = imports.map(({ id, fileName, createdAt, state, issued }) => ({
      title: link(`/certificates/import/${id}`, fileName === "" ? text.unnamed : isolated(fileName)),
      state: badge(stateTones[state] ?? "neutral", stateWord(state, language)),
      details: [
        moment(createdAt, language),
        state === ImportState.FINISHED ? `${texts[language].issued}: ${issued.toLocaleString(language)}` : undefined,
      ],
    }));
    return {
      title: text.title,
      lead: text.lead,
      parent: { path: "/certificates", title: shellTexts[language].sections.certificates },
      content: html`<section class="panel">${form.frame(input, { submit: text.upload, hasFile: true })}</section>
${imports.length > 0 && panel(text.earlier, rowList(rows, ""))}`,
    };
  },
  uploads: {
    async upload({ registry, language }, _form, file) {
      const { chooseFile, tooLarge } = uploadTexts[language];
      if (file.name === "") throw new FormRefusal([{ field: "file", text: chooseFile }]);
      const importId = await uploadFile(registry.imports, file);
      if (importId === undefined) throw new FormRefusal([{ field: "file", text: tooLarge }]);
      await registry.imports.startImport({ importId, dryRun: true });
      return { path: `/certificates/import/${importId}` };
    },
  },
};
