import type { Reply } from "../../harness/receiver/behaviour.ts";
import type { LoggedRequest } from "../../harness/receiver/request-log.ts";
import type { ExpectedEvent, LoggedOutcome } from "./expected-state.ts";
import { messageProblem, type SendingStore } from "./message-problem.ts";

/** Input of {@link evaluate}. */
export interface Evidence {
  readonly events: readonly ExpectedEvent[];
  /** By store id. */
  readonly stores: ReadonlyMap<string, SendingStore>;
  /** By event id. */
  readonly outcomes: ReadonlyMap<string, LoggedOutcome>;
  /** Outcomes that were read earlier in the run; outcomes are final and must not change. */
  readonly outcomesBefore: ReadonlyMap<string, LoggedOutcome>;
  /** Requests to webhooks, in the order in which their last bytes arrived; incomplete requests last. */
  readonly requests: readonly LoggedRequest[];
  /** Number of times that a process was killed, or stopped before its deliveries had ended. */
  readonly processEnds: number;
  /** Whether every event had time to get an outcome. Otherwise, an event without one is not a violation. */
  readonly isSettled: boolean;
}

/**
 * Maximum number of messages that one notifier delivers concurrently: the default of NOTIFIER_CONCURRENCY_MAX.
 * When a process ends, at most this many deliveries are interrupted.
 */
export const notifierConcurrency = 256;

/** Counts of a run. All counts except the first three are counts of violations, and must be 0. */
interface Verdict {
  readonly posts: number;
  readonly interrupted: number;
  readonly skipped: number;
  /** Interrupted events in excess of {@link notifierConcurrency} per process end; see {@link Evidence.processEnds}. */
  readonly unexplained: number;
  /** Events with more than one POST. */
  readonly doubled: number;
  /** Complete POSTs after the POST of a later event of the same certificate. */
  readonly outOfOrder: number;
  /** Events without an outcome in the delivery log; 0 unless `isSettled`. */
  readonly withoutOutcome: number;
  /** Events without a POST that are neither interrupted nor skipped. */
  readonly lost: number;
  /** Outcomes that contradict the store's webhook or the receiver's log, belong to no event, or changed. */
  readonly untrue: number;
  /** Requests that are not the correct message of an event. */
  readonly wrong: number;
  /** Sentences that describe the violations. */
  readonly findings: readonly string[];
}

/** The counts of violations, by the names that checks print, with their meanings. */
export const violations = {
  doubled: "events with more than one POST",
  out_of_order: "POSTs after the POST of a later event of the same certificate",
  without_outcome: "events without an outcome in the delivery log",
  lost: "events without a POST that are neither interrupted nor skipped",
  unexplained: "interrupted events beyond those that kills explain: without kills, all of them",
  untrue: "outcomes that contradict the receiver, or that changed",
  wrong: "requests that are not the correct message of an event",
};

/** Returns the counts of a verdict's {@link violations}. */
export function violationCounts(verdict: Verdict): Record<keyof typeof violations, number> {
  const { doubled, outOfOrder, withoutOutcome, lost, unexplained, untrue, wrong } = verdict;
  return { doubled, out_of_order: outOfOrder, without_outcome: withoutOutcome, lost, unexplained, untrue, wrong };
}

/** Compares the requests and the delivery log with the events. */
export function evaluate(evidence: Evidence): Verdict {
  const { events, outcomes, requests, processEnds, isSettled } = evidence;
  const posts = Map.groupBy(requests, deliveryIdOf);
  const postsOf = (event: ExpectedEvent) => posts.get(event.id) ?? [];
  const countOf = (kind: string) => events.filter(({ id }) => outcomes.get(id)?.kind === kind).length;

  const doubled = events.filter((event) => postsOf(event).length > 1);
  const judged = isSettled ? events : events.filter(({ id }) => outcomes.has(id));
  const withoutOutcome = isSettled ? events.filter(({ id }) => !outcomes.has(id)) : [];
  const lost = judged.filter((event) => postsOf(event).length === 0 && !explainsSilence(outcomes.get(event.id)));
  const late = outOfOrder(evidence);
  const untrue = [
    ...events.flatMap((event) => contradiction(event, postsOf(event), evidence) ?? []),
    ...unknownOutcomes(evidence),
    ...changedOutcomes(evidence),
  ];
  const wrong = wrongRequests(evidence);
  const interrupted = countOf("interrupted");
  const explained = processEnds * notifierConcurrency;
  const unexplained = Math.max(0, interrupted - explained);
  return {
    posts: requests.length,
    interrupted,
    skipped: countOf("skipped"),
    unexplained,
    doubled: doubled.length,
    outOfOrder: late.length,
    withoutOutcome: withoutOutcome.length,
    lost: lost.length,
    untrue: untrue.length,
    wrong: wrong.length,
    findings: [
      ...doubled.map((event) => `${text(event)} arrived ${postsOf(event).length} times: ${times(postsOf(event))}`),
      ...late,
      ...lost.map((event) => `${text(event)} never arrived; logged outcome: ${outcomeText(outcomes.get(event.id))}`),
      ...withoutOutcome.map((event) => `${text(event)} has no outcome; POSTs: ${postsOf(event).length}`),
      ...(unexplained === 0 ? [] : [unexplainedText(interrupted, processEnds, explained)]),
      ...untrue,
      ...wrong,
    ],
  };
}

function unexplainedText(interrupted: number, processEnds: number, explained: number): string {
  return `${interrupted} events were interrupted, but ${processEnds} process exits explain at most ${explained}`;
}

function explainsSilence(outcome: LoggedOutcome | undefined): boolean {
  return outcome?.kind === "interrupted" || outcome?.kind === "skipped";
}

function outOfOrder({ events, requests }: Evidence): string[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const latest = new Map<string, ExpectedEvent>();
  // Incomplete requests are not listed in the order in which they arrived.
  const arrived = requests.filter(({ isComplete }) => isComplete);
  return arrived.flatMap((request) => {
    const event = byId.get(deliveryIdOf(request));
    if (event === undefined) return [];
    const before = latest.get(event.certificateId);
    if (before === undefined || before.at <= event.at) {
      latest.set(event.certificateId, event);
      return [];
    }
    return [`${text(event)} arrived at ${request.at}, after ${text(before)}`];
  });
}

// Other outcomes permit any reply: on a busy machine, a reply can reach the notifier after its timeout.
const requiredReply: Readonly<Record<string, Reply>> = { delivered: "204", refused: "500" };

/** Returns how an event's logged outcome contradicts the store's webhook or the receiver's log, if it does. */
function contradiction(
  event: ExpectedEvent,
  posts: readonly LoggedRequest[],
  { outcomes, stores }: Evidence,
): string | undefined {
  const outcome = outcomes.get(event.id);
  if (outcome === undefined || outcome.kind === "interrupted") return undefined;
  const logged = `the logged outcome of ${text(event)} is ${outcomeText(outcome)}`;
  const isSilent = hasNoMessage(event, stores.get(event.storeId));
  if (isSilent !== (outcome.kind === "skipped"))
    return `${logged}, but there was ${isSilent ? "no message" : "a message"} to send`;
  if (outcome.kind === "skipped" && posts.length > 0) return `${logged}, but it arrived`;
  // An event that never arrived is counted as lost.
  const replies = posts.map(({ reply }) => reply);
  const required = requiredReply[outcome.kind];
  if (required !== undefined && replies.length > 0 && !replies.includes(required))
    return `${logged}, but the receiver's replies were: ${replies.join(", ")}`;
  return undefined;
}

// INTERFACE.md §6, stated independently of the code under test. Format v1 is frozen: later events are in v2 only.
const v1Events: readonly string[] = ["issued", "verified", "transferred", "reported"];

function hasNoMessage({ name }: ExpectedEvent, store: SendingStore | undefined): boolean {
  const webhook = store?.webhook ?? null;
  return webhook === null || (webhook.format === "v1" && !v1Events.includes(name));
}

function unknownOutcomes({ events, outcomes }: Evidence): string[] {
  const ids = new Set(events.map(({ id }) => id));
  return [...outcomes.keys()]
    .filter((id) => !ids.has(id))
    .map((id) => `the log has an outcome for the unknown event ${id}`);
}

function changedOutcomes({ outcomes, outcomesBefore }: Evidence): string[] {
  return [...outcomesBefore].flatMap(([id, before]) => {
    const [earlier, later] = [outcomeText(before), outcomeText(outcomes.get(id))];
    return earlier === later ? [] : [`the outcome of ${id} changed from ${earlier} to ${later}`];
  });
}

function wrongRequests({ events, stores, requests }: Evidence): string[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return requests.flatMap((request) => {
    const event = byId.get(deliveryIdOf(request));
    const problem =
      event === undefined ? "no event has its id" : messageProblem(request, event, stores.get(event.storeId));
    return problem === undefined ? [] : [`wrong request ${requestText(request)}: ${problem}`];
  });
}

function deliveryIdOf({ headers }: LoggedRequest): string {
  return headers.get("x-service-delivery") ?? "";
}

function text({ id, name, certificateId, at }: ExpectedEvent): string {
  return `${name} of ${certificateId} at ${at} (${id})`;
}

function outcomeText(outcome: LoggedOutcome | undefined): string {
  return outcome === undefined ? "missing" : `${outcome.kind} ${outcome.httpStatus} at ${outcome.at}`;
}

function requestText(request: LoggedRequest): string {
  return `${request.at} on connection ${request.connection}, delivery "${deliveryIdOf(request)}"`;
}

function times(requests: readonly LoggedRequest[]): string {
  return requests.map(({ at }) => at).join(", ");
}
