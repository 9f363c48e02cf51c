import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  ClaimDecision,
  type ClaimResult,
  type DeliveryClaimSchema,
  type DeliveryOutcomeSchema,
  NotifierService,
  type WebhookTarget,
} from "#gen/registry/v1/notifier_service_pb.js";
import { Batcher } from "#shared/batching/batcher.ts";
import { valueName } from "#shared/enums/named-values.ts";
import type { Reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { outcomeBatches, withKindName } from "./outcome-batches.ts";
import type { RegistryWatch } from "./registry-watch.ts";

/** A request to claim one event for an attempt. */
export type ClaimRequest = MessageInitShape<typeof DeliveryClaimSchema> & { readonly eventId: string };

/** The outcome of one delivery, with the id of its event. */
export type OutcomeReport = MessageInitShape<typeof DeliveryOutcomeSchema> & { readonly eventId: string };

/** A message that cannot be decoded. */
interface UnreadableMessage {
  readonly subject: string;
  /** The stream sequence number. */
  readonly sequence: number;
  readonly messageId: string;
  readonly data: Uint8Array;
}

/** The registry's decision on a claim. */
export type ClaimAnswer =
  | {
      readonly decision: "send";
      readonly target: WebhookTarget;
      /** The first byte of the message must be written within this time after the start of the call. */
      readonly sendWithinMs: number;
    }
  | { readonly decision: "skipped" | "settled" | "in_flight" | "later" };

const quarantinedBytesMax = 65_536;

/**
 * Creates a client of NotifierService. Results are in the order of the requests.
 *
 * @param notifierId identifies this process; stored with each claim
 */
export function registryDeliveries(transport: Transport, notifierId: string) {
  const client = createClient(NotifierService, transport);
  return {
    /**
     * Claims a batch of events. An attempt may claim its event again with the same token.
     *
     * @throws Error if the decisions are unknown; no event of the batch may then be sent
     */
    claim: async (requests: readonly ClaimRequest[]): Promise<ClaimAnswer[]> => {
      const { results } = await client.claimDeliveries({ notifierId, claims: [...requests] });
      return requests.map(({ eventId }, index) => {
        const result = results[index];
        if (result?.eventId !== eventId) throw new Error("the registry's results do not match the claims");
        return toClaimAnswer(result);
      });
    },
    /** Records outcomes. Idempotent. @throws Error if it is unknown whether the outcomes are stored */
    record: async (reports: readonly OutcomeReport[]) => {
      await client.recordOutcomes({ outcomes: reports.map(withKindName) });
      return reports.map(() => undefined);
    },
    /** Stores the message with at most the first 64 KiB of its data. Idempotent. @throws Error if it is not stored */
    quarantine: async ({ subject, sequence, messageId, data }: UnreadableMessage, problem: Reason) => {
      const message = { subject, sequence: BigInt(sequence), messageId, data: data.subarray(0, quarantinedBytesMax) };
      await client.quarantineMessage({ ...message, problem });
    },
  };
}

function toClaimAnswer({ decision, target, sendWithinMs }: ClaimResult): ClaimAnswer {
  const known = valueName(ClaimDecision, decision);
  if (known === "send" && target !== undefined && sendWithinMs > 0) return { decision: known, target, sendWithinMs };
  if (known !== undefined && known !== "send") return { decision: known };
  throw new Error(`the registry sent an invalid answer to a claim: ${ClaimDecision[decision] ?? decision}`);
}

// A call costs about half as much as a delivery, so under load several events share a call. A claim that waits for its
// batch delays a message, so a burst of claims is sent without waiting. From 250 events a second on, the intervals
// grow: the machine is then busy, and they add little to the time that a message waits for other reasons.
const claimPace = { intervalMs: 8, intervalPerItemMs: 4, intervalMaxMs: 48, burst: 8 };

/**
 * Claims single events and records single outcomes; concurrent calls share one request. Reports failed requests to
 * `watch`. `claim` rejects if the decision is unknown; the event must then not be sent. `record` is idempotent, and
 * rejects if it is unknown whether the outcome is stored.
 *
 * @param clock a monotonic clock
 */
export function deliveryBatches(
  registry: Pick<ReturnType<typeof registryDeliveries>, "claim" | "record">,
  watch: Pick<RegistryWatch, "reportFailure">,
  clock: Clock,
) {
  const reporting = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      watch.reportFailure(error);
      throw error;
    });
  const claim = (items: readonly ClaimRequest[]) => reporting(registry.claim(items));
  const claims = new Batcher(claim, { concurrencyMax: 4, pace: { ...claimPace, clock } });
  const record = (items: readonly OutcomeReport[]) => reporting(registry.record(items));
  const outcomes = new Batcher(record, outcomeBatches(clock));
  return {
    claim: (request: ClaimRequest): Promise<ClaimAnswer> => claims.add(request),
    record: (report: OutcomeReport): Promise<void> => outcomes.add(report),
  };
}
