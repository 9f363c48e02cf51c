import type { Certificate } from "../../../../services/client/index.ts";
import type { MirrorRow } from "../integrator/mirror.ts";
import type { IntegratorMessage } from "../integrator/receive-line.ts";
import type { SentMessage } from "./platform.ts";

/** An action in the shop that issues or revokes certificates. */
export interface ShopAction {
  readonly kind: "order" | "refund" | "cancellation";
  readonly at: Date;
  /** Number of certificates that the action issues or revokes. */
  readonly count: number;
  /** Total `count` of the earlier actions on the order that have the same effect (issue or revoke). */
  readonly earlier: number;
  /** Id of the webhook that reports the action. */
  readonly webhookId: string;
}

/**
 * The times at which the effect of an action reached each part of the system, in milliseconds after the action; null
 * while it has not reached the part. `edgeMs` counts from the start of the attempt that the edge accepted.
 */
export interface Journey {
  readonly kind: ShopAction["kind"];
  readonly at: string;
  readonly count: number;
  /** When the edge had accepted the platform's webhook. */
  readonly edgeMs: number | null;
  /** When the registry had issued or revoked all certificates, according to the messages or else to the mirror. */
  readonly registryMs: number | null;
  /** When a signed message about each certificate had arrived. */
  readonly receiverMs: number | null;
  /** When the mirror had saved all certificates. */
  readonly mirrorMs: number | null;
  /** Whether the edge has accepted the webhook, but not all messages have arrived within `overdueMs`. */
  readonly isOverdue: boolean;
}

/** The platform's webhooks and the integrator's messages about an order, and the state of the mirror. */
export interface OrderMessages {
  readonly sent: readonly SentMessage[];
  readonly received: readonly IntegratorMessage[];
  /** Returns the time at which a catch-up of the mirror saved this or a later state of a certificate, if any did. */
  readonly caughtUpAt: (certificate: Pick<Certificate, "id" | "updatedAt">) => Date | undefined;
  /** The order's certificates in the mirror, which a catch-up saves even if no message arrives. */
  readonly rows: readonly Pick<MirrorRow, "id" | "status" | "updatedAt">[];
  readonly now: Date;
  /** How long after an action its messages are overdue. */
  readonly overdueMs: number;
}

/** Returns the times at which the effect of an action reached each part of the system. */
export function journeyOf(
  { kind, at, count, earlier, webhookId }: ShopAction,
  { sent, received, caughtUpAt, rows, now, overdueMs }: OrderMessages,
): Journey {
  const webhook = sent.find((message) => message.webhookId === webhookId);
  const event = kind === "order" ? "issued" : "revoked";
  // Chosen by position, not by time: the messages of an earlier action can arrive after this action.
  const caused = firstOfEach(received.filter(({ message }) => message.event === event)).slice(earlier, earlier + count);
  const listed = rows
    .filter(({ status }) => kind === "order" || status === "revoked")
    .toSorted((one, other) => Date.parse(one.updatedAt) - Date.parse(other.updatedAt))
    .slice(earlier, earlier + count);
  const lastOf = (times: readonly (number | undefined)[]) => {
    const isComplete = times.length === count && times.every((time) => time !== undefined);
    return isComplete ? Math.max(0, Math.max(...times) - at.getTime()) : null;
  };
  const edgeMs = webhook?.status === 200 ? (webhook.answeredMs ?? null) : null;
  const receiverMs = lastOf(caused.map(({ receivedAt }) => receivedAt.getTime()));
  return {
    kind,
    at: at.toISOString(),
    count,
    edgeMs,
    receiverMs,
    registryMs:
      lastOf(caused.map(({ message }) => Date.parse(message.certificate.updatedAt))) ??
      lastOf(listed.map(({ updatedAt }) => Date.parse(updatedAt))),
    mirrorMs:
      lastOf(caused.map(({ message, savedAt }) => (savedAt ?? caughtUpAt(message.certificate))?.getTime())) ??
      lastOf(listed.map((row) => caughtUpAt(row)?.getTime())),
    isOverdue: edgeMs !== null && receiverMs === null && now.getTime() - at.getTime() >= overdueMs,
  };
}

/** Returns the first message about each certificate: a message can be sent again. */
function firstOfEach(received: readonly IntegratorMessage[]): IntegratorMessage[] {
  const idOf = ({ message }: IntegratorMessage) => message.certificate.id;
  return received.filter((one, index) => received.findIndex((other) => idOf(other) === idOf(one)) === index);
}
