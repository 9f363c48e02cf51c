import { setTimeout as sleep } from "node:timers/promises";
import { ErasureKind } from "#gen/registry/v1/person_service_pb.js";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { retryWhileUnavailable } from "../registry-client/retry-while-unavailable.ts";
import { defineCommand } from "./command.ts";
import { withYes, type YesOption } from "./common-options.ts";

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
  [ErasureKind.TRIGGERS]: ["triggers", "trigger logs"],
  [ErasureKind.REPORTS]: ["reports", "problem reports"],
  [ErasureKind.HISTORY]: ["history", "certificate histories"],
  [ErasureKind.STORE_HISTORY]: ["storeHistory", "store history"],
  [ErasureKind.DELIVERIES]: ["deliveries", "delivery log"],
  [ErasureKind.ANSWERS]: ["answers", "stored idempotent responses"],
  [ErasureKind.QUARANTINE]: ["quarantine", "quarantined messages"],
  [ErasureKind.STOREFRONT_ORDERS]: ["storefrontOrders", "storefront orders"],
  [ErasureKind.STOREFRONT_MESSAGES]: ["storefrontMessages", "storefront messages"],
} as const satisfies Record<ErasureKind, readonly [member: string, name: string]>;

const names = new Map<string, string>(Object.values(kinds));

/** `certctl person erase <e-mail>` */
export const personErase = defineCommand<YesOption>({
  name: "person erase",
  changes: "store",
  description:
    "erase a person's name and e-mail address from all of a store's data, without publishing events; delete all " +
    "uploaded import files of the store, whether they mention the person or not",
  configure: (command) => withYes(command.argument("<e-mail>", "e-mail address of the person")),
  async run({ client, storeId, output, options, args: [email = ""] }) {
    const request = { storeId: await storeId(), email };
    const pass = (dryRun: boolean) => runPass(client, { ...request, dryRun }, output.note);
    if (!options.yes) {
      const { counts, certificateIds } = await pass(true);
      const found = Object.entries(counts).filter(([, count]) => count > 0);
      const places = found.map(([kind, count]) => `${names.get(kind)} (${count})`);
      const files = "uploaded import files";
      const nothing = `a search found no data on this person; ${files} were not searched, and --yes deletes them`;
      if (found.length === 0) return output.result({ counts, certificateIds }, nothing);
      const action = `erase the person from: ${places.join(", ")}, and delete the store's ${files}`;
      return output.preview(action, { counts, certificateIds });
    }
    const report = await eraseUntilNothingIsFound(pass);
    const { counts, certificateIds, remaining } = report;
    const isComplete = remaining === 0;
    const last = isComplete
      ? "a final search found nothing; backups contain the person's data until the backups expire"
      : `remaining documents and messages: ${remaining}; run the command again in a minute`;
    output.result({ isComplete, counts, certificateIds }, ...linesOf(report), last);
    if (!isComplete) process.exitCode = 1;
  },
});

interface Found {
  /** Number of documents and messages, by the JSON member of their kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly certificateIds: readonly string[];
  /** Number of messages that may be in flight to a receiver. */
  readonly waitingCount: number;
}

interface PassRequest {
  readonly storeId: string;
  readonly email: string;
  readonly dryRun: boolean;
}

/** Runs all steps of an erasure, or of its dry run, once. */
async function runPass(client: RegistryClient, request: PassRequest, note: (text: string) => void): Promise<Found> {
  const counts: Record<string, number> = {};
  const certificateIds: string[] = [];
  let waitingCount = 0;
  for (let pageToken = ""; ; ) {
    const step = await retryWhileUnavailable(
      () => client.persons.erasePerson({ ...request, pageToken }),
      retryLimitMs,
      ({ message }) => note(`${message} Retrying …`),
    );
    // A newer registry may send other kinds.
    const [name] = kinds[step.kind] ?? kinds[ErasureKind.UNSPECIFIED];
    counts[name] = (counts[name] ?? 0) + step.count;
    certificateIds.push(...step.certificateIds);
    waitingCount += step.waitingCount;
    pageToken = step.nextPageToken;
    if (pageToken === "") return { counts, certificateIds, waitingCount };
  }
}

/**
 * Repeats the erasure until a search finds nothing, because live traffic can add data. Makes at most {@link passesMax}
 * passes.
 */
async function eraseUntilNothingIsFound(runPass: (dryRun: boolean) => Promise<Found>) {
  let total: Found = { counts: {}, certificateIds: [], waitingCount: 0 };
  for (let pass = 1; ; pass++) {
    const erased = await runPass(false);
    total = {
      counts: Object.fromEntries(
        Object.entries(erased.counts).map(([name, count]) => [name, count + (total.counts[name] ?? 0)]),
      ),
      certificateIds: [...total.certificateIds, ...erased.certificateIds],
      waitingCount: erased.waitingCount,
    };
    const left = await runPass(true);
    const remaining = Object.values(left.counts).reduce((sum, count) => sum + count, left.waitingCount);
    if (remaining === 0 || pass === passesMax) return { ...total, remaining };
    await sleep(pauseMs);
  }
}

function linesOf({ counts }: Pick<Found, "counts">): string[] {
  return Object.entries(counts).map(([kind, count]) => `${names.get(kind)}: ${count}`);
}
