import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  ClaimDecision,
  type DeliveryClaimSchema,
  type DeliveryOutcomeSchema,
  NotifierService,
  type WebhookTarget,
} from "#gen/registry/v1/notifier_service_pb.js";

/** One event to claim. */
export type ClaimRequest = MessageInitShape<typeof DeliveryClaimSchema> & { readonly eventId: string };

/** One outcome to record. */
export type OutcomeReport = MessageInitShape<typeof DeliveryOutcomeSchema> & { readonly eventId: string };

/** A message that cannot be read. */
export interface UnreadableMessage {
  readonly subject: string;
  /** Its place in the stream. */
  readonly sequence: number;
  readonly messageId: string;
  readonly data: Uint8Array;
}

/** What the registry decided about an event. */
export type ClaimAnswer =
  | { readonly decision: "send"; readonly target: WebhookTarget }
  | { readonly decision: "skipped" | "settled" | "in_flight" | "later" };

/** The registry as the notifier sees it: batches in, answers in the same order out. */
export interface RegistryDeliveries {
  /** @throws Error when the answer is not known; nothing of the batch may be sent then */
  claim(requests: readonly ClaimRequest[]): Promise<ClaimAnswer[]>;
  /** @throws Error when it is not known whether the outcomes are stored; recording again does no harm */
  record(reports: readonly OutcomeReport[]): Promise<undefined[]>;
  /** @throws Error when the message is not kept; keeping it again does no harm */
  quarantine(message: UnreadableMessage, problem: string): Promise<void>;
}

const quarantinedBytesMax = 65_536;

/**
 * Calls NotifierService.
 *
 * @param notifierId names this process; kept with each claim
 */
export function registryDeliveries(transport: Transport, notifierId: string): RegistryDeliveries {
  const client = createClient(NotifierService, transport);
  return {
    claim: async (requests) => {
      const { results } = await client.claimDeliveries({ notifierId, claims: [...requests] });
      return requests.map(({ eventId }, index) => {
        const result = results[index];
        if (result?.eventId !== eventId) throw new Error("the registry's answers do not fit the claims");
        return answerOf(result.decision, result.target);
      });
    },
    record: async (reports) => {
      await client.recordOutcomes({ outcomes: [...reports] });
      return reports.map(() => undefined);
    },
    quarantine: async ({ subject, sequence, messageId, data }, problem) => {
      const kept = data.subarray(0, quarantinedBytesMax);
      await client.quarantineMessage({
        subject,
        sequence: BigInt(sequence),
        messageId,
        data: kept,
        problem,
      });
    },
  };
}

function answerOf(decision: ClaimDecision, target: WebhookTarget | undefined): ClaimAnswer {
  if (decision === ClaimDecision.SEND && target !== undefined) return { decision: "send", target };
  if (decision === ClaimDecision.SKIPPED) return { decision: "skipped" };
  if (decision === ClaimDecision.SETTLED) return { decision: "settled" };
  if (decision === ClaimDecision.IN_FLIGHT) return { decision: "in_flight" };
  if (decision === ClaimDecision.LATER) return { decision: "later" };
  throw new Error(`the registry answered a claim with ${ClaimDecision[decision] ?? decision}`);
}
