import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { UploadedFile } from "../../http/uploaded-file.ts";
import type { SettingsCalls } from "../../registry-client/settings-client.ts";

/** Maximum size of a file to import, in bytes. */
export const importFileBytesMax = 10 * 1_024 * 1_024;

const partBytes = 262_144;
// Without pauses, an upload of 10 MB occupies edge, registry and database for a second, in which other stores' requests
// take three times as long. With them, it takes more than four seconds, which few connections would notice. Parts that
// take this long by themselves have no pause: a file must arrive within the edge's time limit, also during an overload.
const partEveryMs = 120;
// What a page's form contains beside the file: a few short fields and the headers of the parts.
const otherBytesMax = 16 * 1_024;

/**
 * Sends a file to the registry in parts while it arrives, so that the edge never holds the whole file.
 *
 * @returns the id of the import; undefined if the file is too large
 */
export async function uploadFile(
  imports: Pick<SettingsCalls["imports"], "createImport" | "addImportPart">,
  { name: fileName, formBytes = 0, content }: UploadedFile,
  clock: Clock = steadyClock,
): Promise<string | undefined> {
  // Before an import is created, because the store can create only a few a day.
  if (formBytes > importFileBytesMax + otherBytesMax) return undefined;
  const { importId } = await imports.createImport({ fileName });
  let number = 0;
  let dueAt = clock.now();
  for await (const part of partsOf(content)) {
    if (number * partBytes + part.length > importFileBytesMax) return undefined;
    const pauseMs = dueAt - clock.now();
    if (pauseMs > 0) await clock.sleep(pauseMs);
    dueAt = clock.now() + partEveryMs;
    await imports.addImportPart({ importId, number, content: part });
    number++;
  }
  return importId;
}

/** Regroups chunks into parts of 256 KiB; the last may be smaller. Yields one empty part for an empty file. */
async function* partsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let kept = Buffer.alloc(0);
  for await (const chunk of chunks) {
    kept = Buffer.concat([kept, chunk]);
    for (; kept.length > partBytes; kept = kept.subarray(partBytes)) yield kept.subarray(0, partBytes);
  }
  yield kept;
}
