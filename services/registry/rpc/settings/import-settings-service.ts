import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { type ImportSettingsService, ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import type { ImportRunner } from "../../imports/import-runner.ts";
import { type Import, type Imports, partBytesMax, partsMax } from "../../imports/imports.ts";
import type { Sessions } from "../../sessions/sessions.ts";
import { newId } from "../../values/identifiers.ts";
import { checkText } from "../../values/text-rules.ts";
import { enumNames } from "../enum-names.ts";
import { pageSize } from "../request-limits.ts";
import { sessionOf } from "./in-session.ts";

const stateNames = enumNames({
  uploading: ImportState.UPLOADING,
  examining: ImportState.EXAMINING,
  examined: ImportState.EXAMINED,
  issuing: ImportState.ISSUING,
  finished: ImportState.FINISHED,
});

const listedMax = 20;
const linesMax = { max: 1_000, byDefault: 50 };

/** Dependencies of {@link importSettingsService}. */
export interface ImportSettingsDeps {
  readonly sessions: Pick<Sessions, "find">;
  readonly imports: Imports;
  readonly importRunner: Pick<ImportRunner, "wake">;
}

/** Implements ImportSettingsService: translates between its messages and the domain. */
export function importSettingsService(deps: ImportSettingsDeps): ServiceImpl<typeof ImportSettingsService> {
  const { sessions, imports, importRunner } = deps;
  return {
    async createImport({ fileName }, context) {
      const { storeId, actor } = await sessionOf(sessions, context);
      checkText("file_name", fileName, textLimits.fileName);
      const id = newId("imp");
      await imports.create({ id, storeId, actor, fileName });
      return { importId: id };
    },

    async addImportPart({ importId, number, content }, context) {
      const { storeId } = await sessionOf(sessions, context);
      if (number >= partsMax) throw badRequest("number", `must be less than ${partsMax}`);
      if (content.length > partBytesMax) throw badRequest("content", `has more than ${partBytesMax} bytes`);
      await imports.addPart(storeId, importId, number, content);
      return {};
    },

    async startImport({ importId, dryRun }, context) {
      const { storeId, actor } = await sessionOf(sessions, context);
      await imports.start(storeId, importId, dryRun ? "examining" : "issuing", actor);
      importRunner.wake();
      return {};
    },

    async getImport({ importId }, context) {
      const { storeId } = await sessionOf(sessions, context);
      const { hasFile, ...found } = await imports.find(storeId, importId);
      return { import: { ...importMessage(found), hasFile } };
    },

    async listImports(_request, context) {
      const { storeId } = await sessionOf(sessions, context);
      return { imports: (await imports.list(storeId, listedMax)).map(importMessage) };
    },

    async listRejectedLines({ importId, afterNumber, limit }, context) {
      const { storeId } = await sessionOf(sessions, context);
      const countMax = pageSize(limit, linesMax);
      // One line more than the page, to know whether another page follows.
      const found = await imports.listRejectedLines(storeId, importId, afterNumber, countMax + 1);
      const lines = found.slice(0, countMax);
      return { lines, nextNumber: found.length > countMax ? (lines.at(-1)?.number ?? 0) : 0 };
    },
  };
}

function importMessage({ id, state, fileName, fileBytes, createdAt, progress, fault }: Import) {
  const { bytesRead, ...counts } = progress;
  return {
    id,
    fileName,
    fileBytes: BigInt(fileBytes),
    bytesRead: BigInt(bytesRead),
    ...counts,
    state: stateNames.valueOf(state),
    createdAt: timestampFromDate(createdAt),
    ...(fault && { unreadableLine: fault.line, unreadableReason: fault.reason }),
  };
}
