import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { Attempt } from "../webhook/send-message.ts";
import { slowMs } from "./store-concurrency.ts";

/** The arrival delay of a message, and the speed of its receiver. */
export interface ArrivalDelay {
  /** From the queuing of the event until its message was sent or, if sending failed, until the end of the attempt. */
  readonly delayMs: number;
  /** `slow`: the attempt took longer than {@link slowMs}, which limits its store to one delivery at a time. */
  readonly receiver: "fast" | "slow";
}

/**
 * Returns the delay of an attempted message, which is never negative. The event's time is from the database's clock, so
 * the delay is only as exact as the synchronization of that clock with the local one.
 *
 * @param nowMs the wall-clock time at the end of the attempt
 * @returns undefined for an interrupted attempt, whose message may not have been sent, and for an event without a time
 */
export function arrivalDelay(
  { queuedAt, occurredAt }: CertificateEvent,
  { kind, durationMs, phases }: Pick<Attempt, "kind" | "durationMs" | "phases">,
  nowMs: number,
): ArrivalDelay | undefined {
  const committedAt = queuedAt ?? occurredAt;
  if (kind === OutcomeKind.INTERRUPTED || committedAt === undefined) return undefined;
  const sentAt = nowMs - (phases.replyMs ?? 0);
  return {
    delayMs: Math.max(0, sentAt - timestampMs(committedAt)),
    receiver: durationMs > slowMs ? "slow" : "fast",
  };
}
