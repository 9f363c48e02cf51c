import { expect, test } from "vitest";
import { ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { textsFor } from "#shared/texts/texts.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { importPage } from "./import-page.ts";

const text = textsFor("en");

test("the progress of a repeated import also shows the certificates that were issued before", async () => {
  const progressOf = async (counts: { readonly issued: number; readonly alreadyIssued: number }) => {
    const visit = visitFixture(({ service }) =>
      service(settingsServices.imports, {
        getImport: () => ({
          import: { id: "imp_1", state: ImportState.ISSUING, fileBytes: 100n, rows: 40, ...counts },
        }),
        listRejectedLines: () => ({}),
      }),
    );
    return String((await importPage.show?.(visit))?.content);
  };
  const repeated = await progressOf({ issued: 0, alreadyIssued: 1_234 });
  expect(repeated).toContain(`<dt>${text("settings.import.alreadyIssued")}</dt><dd>1,234</dd>`);
  expect(await progressOf({ issued: 7, alreadyIssued: 0 })).not.toContain(text("settings.import.alreadyIssued"));
});
