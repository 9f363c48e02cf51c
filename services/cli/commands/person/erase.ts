import { type ErasePersonResponse, ErasureKind } from "#gen/registry/v1/person_service_pb.js";
import { type ErasureStep, eraseUntilNothingIsFound } from "#shared/erasure/erase-until-nothing-is-found.ts";
import { isUnavailable } from "#shared/errors/service-error.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { defineCommand } from "../../command/command.ts";
import { withYes, type YesOption } from "../../command/common-options.ts";
import { parseEmail } from "../../command/option-values.ts";
import { noteRetry, retryWhileUnavailable } from "../../registry-client/retry-while-unavailable.ts";

// The pauses together last longer than the minute within which a message in flight is settled or abandoned.
const passesMax = 40;
const pauseMs = 2_000;
const retryLimitMs = 20_000;

/** For each kind, the member of the JSON document and the name in the text output. */
const kinds = {
  [ErasureKind.UNSPECIFIED]: ["other", "other"],
  [ErasureKind.CERTIFICATES]: ["certificates", "certificates"],
  [ErasureKind.EVENTS]: ["events", "unsent events"],
  [ErasureKind.STREAM]: ["stream", "messages in the stream"],
  [ErasureKind.TRIGGER_EVENTS]: ["triggerEvents", "events for triggers"],
  [ErasureKind.AUTOMATION_EVENTS]: ["automationEvents", "unpublished automation events"],
  [ErasureKind.AUTOMATION_STREAM]: ["automationStream", "automation events in the stream"],
  [ErasureKind.LISTEN_MESSAGES]: ["listenMessages", "copies for listeners"],
  [ErasureKind.TRIGGERS]: ["triggers", "trigger logs"],
  [ErasureKind.REPORTS]: ["reports", "problem reports"],
  [ErasureKind.HISTORY]: ["history", "certificate histories"],
  [ErasureKind.STORE_HISTORY]: ["storeHistory", "store history"],
  [ErasureKind.DELIVERIES]: ["deliveries", "delivery log"],
  [ErasureKind.ANSWERS]: ["answers", "stored idempotent responses"],
  [ErasureKind.QUARANTINE]: ["quarantine", "quarantined messages"],
  [ErasureKind.STOREFRONT_ORDERS]: ["storefrontOrders", "storefront orders"],
  [ErasureKind.API_KEYS]: ["apiKeys", "labels of API keys"],
  [ErasureKind.STOREFRONT_MESSAGES]: ["storefrontMessages", "storefront messages"],
} as const satisfies Record<ErasureKind, readonly [member: string, name: string]>;

const names = new Map<string, string>(Object.values(kinds));

export const personErase = defineCommand<YesOption>({
  name: "person erase",
  changes: "store",
  description:
    "erase a person's name and e-mail address from all of a store's data, without publishing events; delete all " +
    "uploaded import files of the store, whether they mention the person or not",
  configure: (command) => withYes(command.argument("<e-mail>", "e-mail address of the person", parseEmail)),
  async run({ selectStore, output, options, args: [email = ""] }) {
    const store = await selectStore();
    const take: TakeStep = (dryRun, pageToken) =>
      takeStep(() => store.persons.erasePerson({ email, dryRun, pageToken }), output.note);
    if (!options.yes) {
      const { counts, certificateIds } = await search((pageToken) => take(true, pageToken));
      const found = Object.entries(counts).filter(([, count]) => count > 0);
      const places = found.map(([kind, count]) => `${names.get(kind)} (${count})`);
      const files = "uploaded import files";
      const nothing = `a search found no data on this person; ${files} were not searched, and --yes deletes them`;
      if (found.length === 0) return output.result({ counts, certificateIds }, nothing);
      const action = `erase the person from: ${places.join(", ")}, and delete the store's ${files}`;
      return output.preview(action, { counts, certificateIds });
    }
    const report = (isComplete: boolean, found: Found, last: string) => {
      const { counts, certificateIds } = found;
      output.result({ isComplete, counts, certificateIds }, ...linesOf(found), last);
    };
    const { remaining, failure, ...erased } = await erase(take);
    if (failure !== undefined) {
      report(false, erased, "the erasure is not complete: run the command again once the cause is removed");
      throw failure;
    }
    const isComplete = remaining === 0;
    const last = isComplete
      ? "a final search found nothing; backups contain the person's data until the backups expire"
      : `remaining documents and messages: ${remaining}; run the command again in a minute`;
    report(isComplete, erased, last);
    if (!isComplete) process.exitCode = 1;
  },
});

interface Found {
  /** Number of documents and messages, by the JSON member of their kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly certificateIds: readonly string[];
}

interface Step extends ErasureStep, Found {}

type TakeStep = (dryRun: boolean, pageToken: string) => Promise<Step>;

const nothingFound: Found = { counts: {}, certificateIds: [] };

async function takeStep(call: () => Promise<ErasePersonResponse>, note: (text: string) => void): Promise<Step> {
  const step = await retryWhileUnavailable(call, retryLimitMs, noteRetry(note));
  const { count, waitingCount, certificateIds, nextPageToken: nextPosition } = step;
  // A newer registry may send other kinds.
  const [name] = kinds[step.kind] ?? kinds[ErasureKind.UNSPECIFIED];
  return { count, waitingCount, certificateIds, nextPosition, counts: { [name]: count } };
}

function sumOf(one: Found, other: Found): Found {
  const members = Object.keys({ ...one.counts, ...other.counts });
  return {
    counts: Object.fromEntries(members.map((name) => [name, (one.counts[name] ?? 0) + (other.counts[name] ?? 0)])),
    certificateIds: [...one.certificateIds, ...other.certificateIds],
  };
}

/** Runs all steps of a dry run once. */
async function search(take: (pageToken: string) => Promise<Step>): Promise<Found> {
  let total = nothingFound;
  for (let pageToken = ""; ; ) {
    const step = await take(pageToken);
    total = sumOf(total, step);
    pageToken = step.nextPosition;
    if (pageToken === "") return total;
  }
}

interface Erased extends Found {
  /** How much the last search found. */
  readonly remaining: number;
  /** The error that ended the erasure, if one did. */
  readonly failure?: unknown;
}

/** Erases in at most {@link passesMax} passes. @throws the error of a first step that the registry refuses */
async function erase(take: TakeStep): Promise<Erased> {
  let total = nothingFound;
  let remaining = 0;
  let passes = 1;
  let hasBegun = false;
  try {
    await eraseUntilNothingIsFound({
      step: async ({ isSearch, position }) => {
        const step = await take(isSearch, position);
        hasBegun = true;
        if (!isSearch) total = sumOf(total, step);
        return step;
      },
      beforeRepeating: async ({ foundCount, waitingCount }) => {
        remaining = foundCount + waitingCount;
        if (passes === passesMax) return false;
        passes += 1;
        await steadyClock.sleep(pauseMs);
        remaining = 0;
        return true;
      },
    });
  } catch (failure) {
    // A step that was not answered may have erased something.
    if (!hasBegun && !isUnavailable(failure)) throw failure;
    return { ...total, remaining, failure };
  }
  return { ...total, remaining };
}

function linesOf({ counts }: Pick<Found, "counts">): string[] {
  return Object.entries(counts).map(([kind, count]) => `${names.get(kind)}: ${count}`);
}
