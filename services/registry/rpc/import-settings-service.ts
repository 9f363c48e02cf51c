import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ImportSettingsService, ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import type { createImportRunner } from "../imports/import-runner.ts";
import { type Import, type Imports, partBytesMax, partsMax } from "../imports/imports.ts";
import { newId } from "../values/identifiers.ts";
import { pageOf } from "../values/page-token.ts";
import { checkText } from "../values/text-rules.ts";
import { storeAndActorOf, storeOf } from "./call-scope.ts";
import { enumNames } from "./enum-names.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { pageSize } from "./request-limits.ts";

const stateNames = enumNames(ImportState);

const listedMax = 20;
const linesMax = { max: 1_000, byDefault: 50 };

interface ImportSettingsDeps {
  readonly imports: Imports;
  readonly importRunner: Pick<ReturnType<typeof createImportRunner>, "wake">;
}

/** Implements ImportSettingsService: translates between its messages and the domain. */
export function importSettingsService(deps: ImportSettingsDeps): OfferedService {
  const { imports, importRunner } = deps;
  return offer(ImportSettingsService, {
    async createImport({ fileName }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      checkText("file_name", fileName, textLimits.fileName);
      const id = newId("imp");
      await imports.create({ id, storeId, actor, fileName });
      return { importId: id };
    },

    async addImportPart({ importId, number, content }, context) {
      if (number >= partsMax) throw badRequest("number", `must be less than ${partsMax}`);
      if (content.length > partBytesMax) throw badRequest("content", `has more than ${partBytesMax} bytes`);
      await imports.addPart(storeOf(context), importId, number, content);
      return {};
    },

    async startImport({ importId, dryRun }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      await imports.start(storeId, importId, dryRun ? "examining" : "issuing", actor);
      importRunner.wake();
      return {};
    },

    async stopImport({ importId }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      await imports.stop(storeId, importId, actor);
      return {};
    },

    async getImport({ importId }, context) {
      const { hasFile, ...found } = await imports.find(storeOf(context), importId);
      return { import: { ...importMessage(found), hasFile } };
    },

    async listImports(_request, context) {
      return { imports: (await imports.list(storeOf(context), listedMax)).map(importMessage) };
    },

    async listRejectedLines({ importId, afterNumber, limit }, context) {
      const countMax = pageSize(limit, linesMax);
      const found = await imports.listRejectedLines(storeOf(context), importId, afterNumber, countMax + 1);
      const { entries, next } = pageOf(found, countMax, ({ number }) => number);
      const lines = entries.map(({ reason, ...line }) => ({ ...line, reason: reasonMessage(reason) }));
      return { lines, nextNumber: next ?? 0 };
    },
  });
}

function importMessage({ id, state, fileName, fileBytes, createdAt, progress, fault, isStopping }: Import) {
  const { bytesRead, ...counts } = progress;
  return {
    id,
    fileName,
    isStopping,
    fileBytes: BigInt(fileBytes),
    bytesRead: BigInt(bytesRead),
    ...counts,
    state: stateNames.valueOf(state),
    createdAt: timestampFromDate(createdAt),
    ...(fault && { unreadableLine: fault.line, unreadableReason: reasonMessage(fault.reason) }),
  };
}
