import { messageProblem, type SendingStore } from "./message-problem.ts";
import type { Reply } from "./receiver/behaviour.ts";
import type { RecordedRequest } from "./receiver/record.ts";
import type { LoggedOutcome, TrueEvent } from "./truth.ts";

/** What a run is judged by. */
export interface Evidence {
  readonly events: readonly TrueEvent[];
  /** By the stores' ids. */
  readonly stores: ReadonlyMap<string, SendingStore>;
  /** By the events' ids. */
  readonly outcomes: ReadonlyMap<string, LoggedOutcome>;
  /** The outcomes as they were some time before: an outcome is final. */
  readonly outcomesBefore: ReadonlyMap<string, LoggedOutcome>;
  /** What the receiver got, in the order in which it came. */
  readonly requests: readonly RecordedRequest[];
}

/** What came out of a run, and what is wrong; but for the first three counts, all must be 0. */
export interface Verdict {
  readonly posts: number;
  /** Events with this outcome. */
  readonly interrupted: number;
  /** Events with this outcome. */
  readonly skipped: number;
  /** Events with more than one POST. */
  readonly doubled: number;
  /** POSTs that came after that of a later event of their certificate. */
  readonly outOfOrder: number;
  /** Events that the log tells nothing of. */
  readonly withoutOutcome: number;
  /** Events without a POST, though the log does not say that they were interrupted or skipped. */
  readonly lost: number;
  /** Outcomes that are not what happened, or that changed afterwards. */
  readonly untrue: number;
  /** Requests that are no message of an event, or not as it has to be. */
  readonly wrong: number;
  /** A sentence for each thing that is wrong. */
  readonly findings: readonly string[];
}

/** Compares what the receiver got and what the log says with what happened. */
export function judge(evidence: Evidence): Verdict {
  const { events, outcomes, requests } = evidence;
  const posts = Map.groupBy(requests, deliveryIdOf);
  const postsOf = (event: TrueEvent) => posts.get(event.id) ?? [];
  const having = (kind: string) => events.filter(({ id }) => outcomes.get(id)?.kind === kind).length;

  const doubled = events.filter((event) => postsOf(event).length > 1);
  const withoutOutcome = events.filter(({ id }) => !outcomes.has(id));
  const lost = events.filter(
    (event) => postsOf(event).length === 0 && !explainsSilence(outcomes.get(event.id)),
  );
  const tooLate = outOfOrder(evidence);
  const untrue = [
    ...events.flatMap((event) => untruth(event, postsOf(event), evidence) ?? []),
    ...outcomesOfNothing(evidence),
    ...changedOutcomes(evidence),
  ];
  const wrong = wrongRequests(evidence);
  return {
    posts: requests.length,
    interrupted: having("interrupted"),
    skipped: having("skipped"),
    doubled: doubled.length,
    outOfOrder: tooLate.length,
    withoutOutcome: withoutOutcome.length,
    lost: lost.length,
    untrue: untrue.length,
    wrong: wrong.length,
    findings: [
      ...doubled.map(
        (event) => `${text(event)} came ${postsOf(event).length} times: ${times(postsOf(event))}`,
      ),
      ...tooLate,
      ...lost.map(
        (event) => `${text(event)} never came; the log says ${outcomeText(outcomes.get(event.id))}`,
      ),
      ...withoutOutcome.map((event) => `${text(event)} has no outcome; POSTs: ${postsOf(event).length}`),
      ...untrue,
      ...wrong,
    ],
  };
}

function explainsSilence(outcome: LoggedOutcome | undefined): boolean {
  return outcome?.kind === "interrupted" || outcome?.kind === "skipped";
}

function outOfOrder({ events, requests }: Evidence): string[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const latest = new Map<string, TrueEvent>();
  return requests.flatMap((request) => {
    const event = byId.get(deliveryIdOf(request));
    if (event === undefined) return [];
    const before = latest.get(event.certificateId);
    if (before === undefined || before.at <= event.at) {
      latest.set(event.certificateId, event);
      return [];
    }
    return [`${text(event)} came at ${request.at}, after ${text(before)}`];
  });
}

// Other outcomes do not say that a reply came; on a busy machine one can come too late.
const replyThatMeans = new Map<string, Reply>([
  ["delivered", "204"],
  ["refused", "500"],
]);

/** What is untrue in the log's word about an event, if anything. */
function untruth(
  event: TrueEvent,
  posts: readonly RecordedRequest[],
  { outcomes, stores }: Evidence,
): string | undefined {
  const outcome = outcomes.get(event.id);
  if (outcome === undefined || outcome.kind === "interrupted") return undefined;
  const says = `the log says of ${text(event)}: ${outcomeText(outcome)}`;
  const isForNobody = hasNoMessage(event, stores.get(event.storeId));
  if (isForNobody !== (outcome.kind === "skipped"))
    return `${says}, but there was ${isForNobody ? "nothing" : "a message"} to be sent`;
  if (outcome.kind === "skipped" && posts.length > 0) return `${says}, but it came`;
  // One that never came is lost, which is counted apart.
  const replies = posts.map(({ reply }) => reply);
  const claimed = replyThatMeans.get(outcome.kind);
  if (claimed !== undefined && replies.length > 0 && !replies.includes(claimed))
    return `${says}, but the receiver's reply was: ${replies.join(", ")}`;
  return undefined;
}

// INTERFACE.md §6. Format v1 is frozen: later events are in v2 only.
const v1Events: readonly string[] = ["issued", "verified", "transferred", "reported"];

function hasNoMessage({ name }: TrueEvent, store: SendingStore | undefined): boolean {
  const webhook = store?.webhook ?? null;
  return webhook === null || (webhook.format === "v1" && !v1Events.includes(name));
}

function outcomesOfNothing({ events, outcomes }: Evidence): string[] {
  const ids = new Set(events.map(({ id }) => id));
  return [...outcomes.keys()]
    .filter((id) => !ids.has(id))
    .map((id) => `the log has the event ${id}, which never happened`);
}

function changedOutcomes({ outcomes, outcomesBefore }: Evidence): string[] {
  return [...outcomesBefore].flatMap(([id, before]) => {
    const [was, is] = [outcomeText(before), outcomeText(outcomes.get(id))];
    return was === is ? [] : [`the outcome of ${id} was ${was} and became ${is}`];
  });
}

function wrongRequests({ events, stores, requests }: Evidence): string[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return requests.flatMap((request) => {
    const event = byId.get(deliveryIdOf(request));
    const problem =
      event === undefined
        ? "there is no such event"
        : messageProblem(request, event, stores.get(event.storeId));
    return problem === undefined ? [] : [`wrong request ${requestText(request)}: ${problem}`];
  });
}

function deliveryIdOf({ headers }: RecordedRequest): string {
  return headers.get("x-service-delivery") ?? "";
}

function text({ id, name, certificateId, at }: TrueEvent): string {
  return `${name} of ${certificateId} at ${at} (${id})`;
}

function outcomeText(outcome: LoggedOutcome | undefined): string {
  return outcome === undefined ? "nothing" : `${outcome.kind} ${outcome.httpStatus} at ${outcome.at}`;
}

function requestText(request: RecordedRequest): string {
  return `${request.at} on connection ${request.connection}, delivery "${deliveryIdOf(request)}"`;
}

function times(requests: readonly RecordedRequest[]): string {
  return requests.map(({ at }) => at).join(", ");
}
