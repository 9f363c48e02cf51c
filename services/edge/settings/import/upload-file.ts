import { ServiceError } from "#shared/errors/service-error.ts";
import { Places } from "#shared/limits/places.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { UploadedFile } from "../../http/uploaded-file.ts";
import type { SettingsCalls } from "../../registry-client/settings-client.ts";

/** Maximum size of a file to import, in bytes. */
export const importFileBytesMax = 10 * 1_024 * 1_024;

const partBytes = 262_144;
/**
 * Minimum time from one part of a file to the next. Without pauses, an upload of 10 MB occupies edge, registry and
 * database for a second, in which other stores' requests take three times as long. With them, it takes more than four
 * seconds, which few connections would notice. Parts that take this long by themselves have no pause: a file must
 * arrive within the edge's time limit, also during an overload.
 */
export const partEveryMs = 120;
/**
 * Minimum time from a part of any file to the next: several uploads at once take no more of the services' time than
 * two. Five files of 10 MB still arrive within the edge's time limit.
 */
export const anyPartEveryMs = 60;
const waitingMax = 64;
// What a page's form contains beside the file: a few short fields and the headers of the parts.
const otherBytesMax = 16 * 1_024;

/** The turns in which the uploads of an edge send their parts. Stores take turns. */
export class PartTurns {
  readonly #clock: Clock;
  readonly #places = new Places({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax }, tooManyFiles);
  #nextAt = Number.NEGATIVE_INFINITY;

  /** @param clock a monotonic clock */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until the store may send a part. @throws ServiceError `unavailable` if too many parts wait */
  async next(store: string): Promise<void> {
    await this.#places.run(store, async () => {
      const pauseMs = this.#nextAt - this.#clock.now();
      if (pauseMs > 0) await this.#clock.sleep(pauseMs);
      this.#nextAt = this.#clock.now() + anyPartEveryMs;
    });
  }
}

function tooManyFiles(): ServiceError {
  return new ServiceError("unavailable", "Too many files are being received. Try again in a few seconds.");
}

interface UploadDeps {
  readonly imports: Pick<SettingsCalls["imports"], "createImport" | "addImportPart">;
  /** The store, or another string that identifies the origin of the file. */
  readonly store: string;
  /** Monotonic clock. Default {@link steadyClock}. */
  readonly clock?: Clock;
  /** Default: those of all uploads in this process. */
  readonly turns?: PartTurns;
}

const turnsOfProcess = new PartTurns(steadyClock);

/**
 * Sends a file to the registry in parts while it arrives, so that the edge never holds the whole file.
 *
 * @returns the id of the import; undefined if the file is too large
 * @throws ServiceError `unavailable` if too many other files are being received
 */
export async function uploadFile(
  { imports, store, clock = steadyClock, turns = turnsOfProcess }: UploadDeps,
  { name: fileName, formBytes = 0, content }: UploadedFile,
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
    await turns.next(store);
    dueAt = clock.now() + partEveryMs;
    await imports.addImportPart({ importId, number, content: part });
    number++;
  }
  return importId;
}

/**
 * Regroups chunks into parts of 256 KiB; the last may be smaller. Yields one empty part for an empty file. A part is
 * overwritten by the next one. Takes as long for chunks of a byte as for large ones.
 */
async function* partsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(partBytes);
  let filled = 0;
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length; ) {
      if (filled === partBytes) {
        yield part;
        filled = 0;
      }
      const copied = chunk.subarray(from, from + partBytes - filled);
      part.set(copied, filled);
      filled += copied.length;
      from += copied.length;
    }
  yield part.subarray(0, filled);
}
