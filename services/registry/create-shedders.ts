import type { BulkheadBounds } from "#shared/limits/bulkhead.ts";
import { steadyClock } from "#shared/time/clock.ts";
import type { RegistryConfig } from "./config.ts";
import { LoadShedder } from "./load/load-shedder.ts";
import type { LoadMetrics } from "./metrics/observe-load.ts";

/** Maximum number of calls in merchants' sessions that read at a time. */
export const sessionCallsMax = 12;
/** Maximum number of those that change something. They wait for the locks of their store without a connection. */
export const sessionChangesMax = 72;
/** Maximum number of either kind for the same store. */
export const sessionCallsPerStoreMax = 4;

// Enough if several stores use up their rate limits at once. On a slow database, calls expire before the queue fills.
const waitingListsMax = 1_000;

// Look-ups, dry runs, searches and calls in sessions use connections that the pools have in addition to those for lists
// and changes; see run.ts.
const lookupBounds: BulkheadBounds = { inFlightMax: 4, inFlightPerStoreMax: 2, waitingMax: 500 };
const dryRunBounds: BulkheadBounds = { inFlightMax: 2, inFlightPerStoreMax: 1, waitingMax: 100 };
// A page of a search can read thousands of certificates, so it neither takes the places of the list's pages nor raises
// the time that they are expected to take.
const searchBounds: BulkheadBounds = { inFlightMax: 2, inFlightPerStoreMax: 1, waitingMax: 100 };

// A killed replica holds the locks of at most 16 stores.
const sessionChangeBounds: BulkheadBounds = {
  inFlightMax: sessionChangesMax,
  inFlightPerStoreMax: sessionCallsPerStoreMax,
  waitingMax: 500,
};

// A page of the settings makes up to a dozen calls at once, so ten pages that a merchant opens together find room to
// wait.
const sessionBounds: BulkheadBounds = {
  inFlightMax: sessionCallsMax,
  inFlightPerStoreMax: sessionCallsPerStoreMax,
  waitingMax: 500,
};

/** Creates the load shedders, one for each kind of work, and registers the metrics of each. */
export function createShedders(config: RegistryConfig, loads: LoadMetrics) {
  const create = (work: string, bounds: BulkheadBounds) => {
    const created: LoadShedder = new LoadShedder({
      ...bounds,
      clock: steadyClock,
      onShed: loads.observe(work, () => created),
    });
    return created;
  };
  return {
    shedder: create("lists", {
      inFlightMax: config.listConcurrency,
      inFlightPerStoreMax: config.listConcurrencyPerStore,
      waitingMax: waitingListsMax,
    }),
    searches: create("searches", searchBounds),
    lookups: create("lookups", lookupBounds),
    dryRuns: create("dry_runs", dryRunBounds),
    sessionCalls: create("sessions", sessionBounds),
    sessionChanges: create("session_changes", sessionChangeBounds),
  };
}
