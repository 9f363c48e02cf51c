import type { LoggedRequest } from "../../harness/receiver/request-log.ts";
import type { ExpectedEvent } from "./expected-state.ts";
import type { StoreTrigger } from "./store-triggers.ts";

/** Input of {@link evaluateTriggers}. */
interface TriggerEvidence {
  readonly events: readonly ExpectedEvent[];
  readonly triggers: readonly StoreTrigger[];
  /** All requests to the receiver, in the order in which their last bytes arrived; incomplete requests last. */
  readonly requests: readonly LoggedRequest[];
  /** Whether every event had time to be delivered. Otherwise missing events are not judged. */
  readonly isSettled: boolean;
}

/**
 * Checks that every trigger's messages arrived in order per certificate and, for triggers whose receivers accept every
 * event sooner or later, that all events of the store were accepted. `lost` and `outOfOrder` count violations.
 */
export function evaluateTriggers({ events, triggers, requests, isSettled }: TriggerEvidence) {
  const byId = new Map(events.map((event) => [event.id, event]));
  const posts = requests.filter(isTriggerRequest);
  const byPath = Map.groupBy(posts, ({ path }) => path);
  const lost = triggers.flatMap(({ storeId, path, accepts }) => {
    if (!accepts || !isSettled) return [];
    const accepted = new Set((byPath.get(path) ?? []).filter(({ reply }) => reply === "204").map(eventIdOf));
    const missing = events.filter((event) => event.storeId === storeId && !accepted.has(event.id));
    return missing.map((event) => `${event.name} of ${event.certificateId} (${event.id}) was not accepted at ${path}`);
  });
  const late = triggers.flatMap(({ path }) => {
    const latest = new Map<string, ExpectedEvent>();
    return (byPath.get(path) ?? []).flatMap((request) => {
      const event = request.isComplete ? byId.get(eventIdOf(request)) : undefined;
      if (event === undefined) return [];
      const before = latest.get(event.certificateId);
      if (before !== undefined && before.at > event.at)
        return [`${event.name} of ${event.certificateId} arrived at ${path} at ${request.at}, after ${before.name}`];
      latest.set(event.certificateId, event);
      return [];
    });
  });
  return { posts: posts.length, lost: lost.length, outOfOrder: late.length, findings: [...lost, ...late] };
}

/** Returns whether a request is for a trigger rather than for a webhook. */
export function isTriggerRequest({ path }: LoggedRequest): boolean {
  return path.includes("/trigger-");
}

function eventIdOf({ headers }: LoggedRequest): string {
  return headers.get("webhook-id") ?? "";
}
