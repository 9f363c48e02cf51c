import { Binary } from "mongodb";
import {
  type AdmissionDecision,
  type AdmissionPlaces,
  type Admissions,
  type AdmitOptions,
  fullForMs,
  type RateLimitPolicy,
  rateLimitState,
} from "../stores/admission.ts";
import { RefusedKeys } from "../stores/refused-keys.ts";
import type { StoreSettings } from "../values/store.ts";
import { admissionPipeline, returnPipeline } from "./admission-pipelines.ts";
import type { Collections } from "./collections.ts";
import { databaseCall } from "./database-error.ts";
import type { DatabaseTime } from "./database-time.ts";
import { operationTimeLimitMs } from "./time-limits.ts";
import { WindowReader, type WindowView } from "./window-reader.ts";

interface MongoAdmissionsOptions {
  /** Source of the decision's time. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
  /** Remembers the refused keys, for which the window is read before it is updated. */
  readonly refusedKeys?: Pick<RefusedKeys, "note" | "has">;
}

type Decision =
  | (WindowView & { readonly isAdmitted: boolean; readonly settings?: StoreSettings | undefined })
  | "revoked_or_expired"
  | "unknown";

// A refusal because of the plan or an invalid key has no known end. Forgetting it costs one write.
const refusedForMs = 60_000;

/**
 * Admits API requests with a sliding-window log. One atomic update of one document finds the key, checks its validity
 * and the plan, drops admissions that have left the window and, if there is room, appends a new admission. The update
 * uses the database's clock, so the limit is exact across replicas.
 *
 * For a key that this process last refused, the window is read before it is updated: another refusal then needs no
 * durable write. The limit remains exact, because memory only selects which operation runs first. The read goes to the
 * primary and returns majority-committed data, so it reflects revoked keys and changed plans. It can miss the latest
 * admissions, but every admission that it returns is committed and in the window: if the read shows a full window, the
 * window is full. If it shows the Pro plan and room in the window, the update decides.
 */
export class MongoAdmissions implements Admissions, AdmissionPlaces {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #databaseTime: DatabaseTime;
  readonly #refusedKeys: Pick<RefusedKeys, "note" | "has">;
  readonly #reader: WindowReader;

  constructor(
    access: Collections["access"],
    policy: RateLimitPolicy,
    { databaseTime = () => "$$NOW", refusedKeys = new RefusedKeys() }: MongoAdmissionsOptions = {},
  ) {
    this.#access = access;
    this.#policy = policy;
    this.#databaseTime = databaseTime;
    this.#refusedKeys = refusedKeys;
    this.#reader = new WindowReader(access, policy, databaseTime);
  }

  async admit(keyHash: Uint8Array, options: AdmitOptions = {}): Promise<AdmissionDecision> {
    const decision = await databaseCall(() => this.#decide(keyHash, options));
    this.#refusedKeys.note(keyHash, this.#likelyRefusedForMs(decision));
    if (decision === "revoked_or_expired" || decision === "unknown") return { admission: "unknown_key" };
    const { _id: storeId, plan, admitted, at, isAdmitted, settings } = decision;
    const rateLimit = rateLimitState(this.#policy, admitted, at);
    if (plan !== "pro") return { admission: "plan_required", storeId, rateLimit };
    if (!isAdmitted) return { admission: "rate_limited", storeId, rateLimit };
    return { admission: "admitted", storeId, rateLimit, at, settings };
  }

  async returnPlaces(keyHash: Uint8Array, ids: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    const places = ids.map((id) => new Binary(id));
    const before = await databaseCall(() =>
      this.#access.findOneAndUpdate(
        { "keys.hash": new Binary(keyHash), "places.id": { $in: places } },
        returnPipeline(places),
        { returnDocument: "before", projection: { places: 1 }, maxTimeMS: operationTimeLimitMs },
      ),
    );
    const returned = new Set(before?.places?.map(({ id }) => id.toString("base64")));
    return ids.filter((_id, index) => returned.has(places[index]?.toString("base64") ?? ""));
  }

  #likelyRefusedForMs(decision: Decision): number {
    // Not remembered, so that random keys do not fill the cache: an update for such a key writes nothing.
    if (decision === "unknown") return 0;
    if (decision === "revoked_or_expired" || decision.plan !== "pro") return refusedForMs;
    return fullForMs(this.#policy, decision.admitted, decision.at);
  }

  async #decide(keyHash: Uint8Array, options: AdmitOptions): Promise<Decision> {
    const hash = new Binary(keyHash);
    if (this.#refusedKeys.has(keyHash)) {
      const view = await this.#reader.read(hash, options.remainingMs);
      if (view === undefined) return "revoked_or_expired";
      if (view.plan !== "pro" || view.admitted.length >= this.#policy.limit) return { ...view, isAdmitted: false };
    }
    return this.#tryAdmit(hash, options);
  }

  async #tryAdmit(hash: Binary, { id, remainingMs = () => operationTimeLimitMs }: AdmitOptions): Promise<Decision> {
    const document = await this.#access.findOneAndUpdate(
      { "keys.hash": hash },
      admissionPipeline(this.#policy, hash, this.#databaseTime(), id && new Binary(id)),
      {
        returnDocument: "after",
        projection: { plan: 1, settings: 1, admitted: 1, decision: 1 },
        maxTimeMS: Math.min(remainingMs(), operationTimeLimitMs),
      },
    );
    if (document === null) return "unknown";
    const { _id, plan, settings, admitted, decision } = document;
    if (decision === null) throw new Error("the update wrote no decision");
    if (decision.keyIsValid !== true) return "revoked_or_expired";
    return { _id, plan, settings, at: decision.at, admitted, isAdmitted: decision.admitted };
  }
}
