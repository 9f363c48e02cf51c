import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import { tooManyReceived } from "../../http/receive-body.ts";
import type { UploadedFile } from "../../http/uploaded-file.ts";
import { SharedBudget } from "../../limits/shared-budget.ts";
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
 * two.
 */
export const anyPartEveryMs = 60;
/**
 * Maximum number of files that are received at a time. Five files of 10 MB take twelve seconds; more would not arrive
 * within the edge's time limit, and each would have used up one of its store's imports of the day.
 */
export const uploadsMax = { all: 5, store: 2 } as const;
// The longest time in which the next part of a file must arrive for the file to keep its place: otherwise a few clients
// that send slowly would occupy all places for as long as a request may take.
const promptMs = 1_000;
// What a page's form contains beside the file: a few short fields and the headers of the parts.
const otherBytesMax = 16 * 1_024;

/** The files that an edge receives at a time, and the turns in which it sends their parts. */
export class PartTurns {
  readonly #clock: Clock;
  readonly #files = new SharedBudget();
  #nextAt = Number.NEGATIVE_INFINITY;

  /** @param clock a monotonic clock */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes a place for a file of a store. There is no room to wait for one: the time limit of the file has begun.
   *
   * @throws ServiceError `unavailable` if too many files are being received
   */
  enter(store: string): FilePlace {
    const place = this.#files.roomIn([
      { key: "all", max: uploadsMax.all },
      { key: `store ${store}`, max: uploadsMax.store },
    ]);
    const clock = this.#clock;
    const take = () => {
      if (!place.take(1)) throw tooManyReceived("files");
    };
    const leave = () => place[Symbol.dispose]();
    take();
    return {
      async whileArriving(part) {
        const prompt = await waitAtMost(part, promptMs, clock);
        if (prompt !== undefined) return prompt;
        leave();
        const late = await part;
        take();
        return late;
      },
      [Symbol.dispose]: leave,
    };
  }

  /** Waits for the turn to send a part. Uploads get turns in the order in which they ask, so that all end in time. */
  async next(): Promise<void> {
    const now = this.#clock.now();
    const turnAt = Math.max(now, this.#nextAt);
    this.#nextAt = turnAt + anyPartEveryMs;
    if (turnAt > now) await this.#clock.sleep(turnAt - now);
  }
}

interface FilePlace extends Disposable {
  /**
   * Waits for the next part of the file. While it is late, the place is free for another file.
   *
   * @throws ServiceError `unavailable` if the part was late and other files have taken all places
   */
  whileArriving<T extends object>(part: Promise<T>): Promise<T>;
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
 * @throws ServiceError `unavailable`, before an import is created, if too many other files are being received; later
 * only if the file arrives slowly
 */
export async function uploadFile(deps: UploadDeps, file: UploadedFile): Promise<string | undefined> {
  const { store, turns = turnsOfProcess } = deps;
  // Before an import is created, because the store can create only a few a day.
  if ((file.formBytes ?? 0) > importFileBytesMax + otherBytesMax) return undefined;
  using place = turns.enter(store);
  const { imports, clock = steadyClock } = deps;
  const { name: fileName, content } = file;
  const { importId } = await imports.createImport({ fileName });
  let number = 0;
  let dueAt = clock.now();
  for await (const part of inPlace(place, partsOf(content))) {
    if (number * partBytes + part.length > importFileBytesMax) return undefined;
    const pauseMs = dueAt - clock.now();
    if (pauseMs > 0) await clock.sleep(pauseMs);
    await turns.next();
    dueAt = clock.now() + partEveryMs;
    await imports.addImportPart({ importId, number, content: part });
    number++;
  }
  return importId;
}

/** Yields the parts of a file that has a place; see {@link FilePlace.whileArriving}. */
async function* inPlace(place: FilePlace, parts: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { done, value } = await place.whileArriving(parts.next());
      if (done) return;
      yield value;
    }
  } finally {
    // Ends the reading of the file.
    await parts.return(undefined);
  }
}

/**
 * Regroups chunks into parts of 256 KiB; the last may be smaller. Yields one empty part for an empty file. A part is
 * overwritten by the next one. Takes as long for chunks of a byte as for large ones.
 */
async function* partsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
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
