import { equals } from "@bufbuild/protobuf";
import { type Import, ImportSchema, ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { eventually } from "./eventually.ts";
import type { PagesRig } from "./pages-rig.ts";
import type { TestRegistry } from "./registry-fixture.ts";
import { openSettingsSession } from "./settings-session.ts";

type Registry = Pick<TestRegistry, "admin" | "settings">;

/**
 * Waits until an import is in the given state. @returns the import
 *
 * @param withinMs the longest time in which the import may make no progress, in milliseconds. Default 60,000
 * @throws Error with the import's state once it has made no progress for this time
 */
export async function untilImport(
  { settings }: Pick<Registry, "settings">,
  headers: Record<string, string>,
  importId: string,
  state: ImportState,
  withinMs = 60_000,
): Promise<Import> {
  let last: Import | undefined;
  const next = async () => {
    const { import: found } = await settings.imports.getImport({ importId }, { headers });
    const isNew = found !== undefined && (last === undefined || !equals(ImportSchema, found, last));
    if (!isNew) throw new Error(`the import is ${ImportState[found?.state ?? 0]}`);
    return found;
  };
  for (;;) {
    last = await eventually(next, { withinMs });
    if (last.state === state) return last;
  }
}

/** Uploads an order export as a merchant, and waits until it has been examined. @returns the id of the import */
export async function uploadOrders(
  { registry }: Pick<PagesRig, "registry">,
  storeId: string,
  { text = exportText([headRow("#1", "7000001")]), fileName = "orders.csv", withinMs = 60_000 } = {},
): Promise<string> {
  const headers = await openSettingsSession(registry, storeId);
  const { imports } = registry.settings;
  const { importId } = await imports.createImport({ fileName }, { headers });
  const bytes = Buffer.from(text);
  for (let number = 0; number === 0 || number * 262_144 < bytes.length; number++) {
    const content = bytes.subarray(number * 262_144, (number + 1) * 262_144);
    await imports.addImportPart({ importId, number, content }, { headers });
  }
  await imports.startImport({ importId, dryRun: true }, { headers });
  await untilImport(registry, headers, importId, ImportState.EXAMINED, withinMs);
  return importId;
}
