import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { Attempt } from "../webhook/send-message.ts";
import { slowMs } from "./store-concurrency.ts";

/** How long a message took to arrive. */
export interface ArrivalDelay {
  /** From the commit of the change to the last byte sent or, if nothing could be sent, to the end of the attempt. */
  readonly delayMs: number;
  /** `slow`: the receiver's own latency delays the messages of its store. */
  readonly receiver: "fast" | "slow";
}

/**
 * Returns the delay of an attempted message. It compares the database's clock with the local one, so it is only as
 * exact as their synchronization; it is never negative.
 *
 * @param nowMs the wall-clock time at the end of the attempt
 * @returns undefined for an interrupted attempt, whose message may never have arrived
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
