import { hasCode, ServiceError } from "#shared/errors/service-error.ts";
import type { TokenBuckets } from "#shared/limits/token-buckets.ts";
import { refuseIf } from "../limits/refuse-if.ts";
import { SharedBudget } from "../limits/shared-budget.ts";

interface LookUpBounds {
  /** Limits how many unknown links and images a client may try. */
  readonly unknownLinks: Pick<TokenBuckets, "wait" | "charge">;
  /** Maximum number of concurrent calls to the registry; a request that needs another call gets `unavailable`. */
  readonly lookupsMax: number;
  /** Called for each request that is refused because of `lookupsMax`. */
  readonly onShed?: () => void;
}

/** Limits the look-ups of links and images, which share one budget. */
export class LookUps {
  readonly #bounds: LookUpBounds;
  readonly #inProgress = new SharedBudget();

  constructor(bounds: LookUpBounds) {
    this.#bounds = bounds;
  }

  /**
   * Runs a call to the registry. A call that ends with `not_found` costs each of the client's networks a token. The
   * token is taken after the call: if calls in progress held tokens, a burst of valid links would be refused.
   * Concurrent calls can therefore overdraw the budget, by at most `lookupsMax` tokens.
   *
   * @param networks the client's networks; see ClientAddress.networks
   * @throws ServiceError `rate_limited` for a client that has tried too many unknown links or logos; `unavailable` if
   * `lookupsMax` calls are in progress; or the error of the call
   */
  async run<T>(networks: readonly string[], call: () => Promise<T>): Promise<T> {
    const { unknownLinks, lookupsMax } = this.#bounds;
    using place = this.#inProgress.roomIn([{ key: "all", max: lookupsMax }]);
    if (!place.take(1)) throw this.#shed();
    refuseIf(unknownLinks.wait(networks), "Too many unknown links were opened.");
    try {
      return await call();
    } catch (error) {
      if (isUnknown(error)) unknownLinks.charge(networks);
      throw error;
    }
  }

  #shed(): ServiceError {
    this.#bounds.onShed?.();
    return new ServiceError("unavailable", "Too many pages are being opened.", {
      cause: new Error("too many page look-ups are in progress (EDGE_PAGE_LOOKUPS_MAX)"),
    });
  }
}

/** Returns whether a look-up failed because the link or image does not exist. */
export function isUnknown(error: unknown): boolean {
  return hasCode(error, "not_found");
}

export function unknownLink(): ServiceError {
  return new ServiceError("not_found", "There is no such certificate.");
}
