import { type Import, ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { colonOf, formatNumber } from "../../pages/format.ts";
import { html, isolated } from "../../pages/html.ts";
import { link, moment, panel, rowList } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { FormRefusal, type SettingsPage, type Visit } from "../model/settings-page.ts";
import { stateBadge } from "./states.ts";
import { uploadFile } from "./upload-file.ts";

/** Lists the imports. Uploads a file of orders and starts a dry run of its import. */
export const uploadPage: SettingsPage = {
  path: "/certificates/import",
  section: "certificates",
  async show(visit) {
    const { registry, text } = visit;
    const { imports } = await registry.imports.listImports({});
    const form = new SettingsForm(visit, "upload");
    const input = form.file({
      name: "file",
      label: text("settings.import.upload.file"),
      hint: text("settings.import.upload.fileHint"),
      accept: ".csv,text/csv",
    });
    const rows = imports.map((one) => rowOf(visit, one));
    return {
      title: text("settings.import.upload.title"),
      lead: text("settings.import.upload.lead"),
      parent: { path: "/certificates", title: text("settings.shell.sections.certificates") },
      content: html`<section class="panel">${form.frame(input, { submit: text("settings.import.upload.upload"), hasFile: true })}</section>
${imports.length > 0 && panel(text("settings.import.upload.earlier"), rowList(rows, ""))}`,
    };
  },
  uploads: {
    async upload({ registry, session, text }, _form, file) {
      if (file.name === "") throw new FormRefusal([{ field: "file", text: text("settings.import.upload.chooseFile") }]);
      const importId = await uploadFile({ imports: registry.imports, store: session.shop }, file);
      if (importId === undefined)
        throw new FormRefusal([{ field: "file", text: text("settings.import.upload.tooLarge") }]);
      await registry.imports.startImport({ importId, dryRun: true });
      return { path: `/certificates/import/${importId}` };
    },
  },
};

function rowOf({ language, text }: Visit, one: Import) {
  const { id, fileName, createdAt, state, issued } = one;
  const name = fileName === "" ? text("settings.import.upload.unnamed") : isolated(fileName);
  const count = `${text("settings.import.issued")}${colonOf(language)}${formatNumber(issued, language)}`;
  return {
    title: link(`/certificates/import/${id}`, name),
    state: stateBadge(one, language),
    details: [moment(createdAt, language), state === ImportState.FINISHED ? count : undefined],
  };
}
