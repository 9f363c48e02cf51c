import type { DeliveryDocument } from "../../services/registry/mongo/documents/documents.ts";

/** An event, and what is known of its delivery in the end. */
interface JudgedDelivery {
  readonly id: string;
  readonly delivery: Pick<DeliveryDocument, "outcome" | "claimedBy"> | undefined;
  /** The final status that the receiver sent for each message of the event; `undefined` without one. */
  readonly statuses: readonly (number | undefined)[];
}

interface JudgedAgainst {
  /** The notifiers that were killed or paused at any time. */
  readonly disturbed: ReadonlySet<string>;
  /** Whether the receiver, or the way to it, can fail. */
  readonly canFail: boolean;
  /** The events that an erasure may have claimed without settling them. Default: none. */
  readonly leftByErasures?: ReadonlySet<string | undefined>;
}

/** Judges the outcome of an event. All its store's messages go to a webhook, and none of them is invalid. */
export function outcomeProblems(
  { id, delivery, statuses }: JudgedDelivery,
  { disturbed, canFail, leftByErasures }: JudgedAgainst,
): string[] {
  const [status, ...copies] = statuses;
  const problems = copies.map(() => `${id} is sent twice`);
  if (delivery === undefined || delivery.outcome === null) return [...problems, `${id} has no outcome`];
  const { outcome, claimedBy } = delivery;
  const { kind, httpStatus } = outcome;
  // An erasure whose registry, or whose command, is lost after its claim leaves an abandoned claim.
  if (claimedBy === "erasure") {
    const isPossible = kind === "skipped" || (kind === "interrupted" && leftByErasures?.has(id));
    return isPossible && statuses.length === 0 ? problems : [...problems, `${id} was erased, and is ${kind}`];
  }
  const isDisturbed = disturbed.has(claimedBy);
  if (httpStatus > 0) {
    if (status !== httpStatus || kind !== kindOf(httpStatus))
      problems.push(`${id} is ${kind} with ${httpStatus}, but the receiver answered ${status}`);
  } else if (kind === "interrupted" ? !isDisturbed : unsent.includes(kind) || !(canFail || isDisturbed))
    problems.push(`${id} is ${kind}, but ${claimedBy} was neither killed nor paused`);
  return problems;
}

/** The kinds that need a status, or another configuration. */
const unsent: readonly string[] = ["delivered", "refused", "redirected", "skipped", "blocked"];

function kindOf(status: number): string {
  if (status < 300) return "delivered";
  return status < 400 ? "redirected" : "refused";
}
