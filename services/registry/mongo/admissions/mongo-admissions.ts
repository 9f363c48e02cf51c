import { randomBytes } from "node:crypto";
import { Binary } from "mongodb";
import {
  type AdmissionDecision,
  type AdmissionPlaces,
  type AdmissionRefusal,
  type Admissions,
  type AdmitOptions,
  fullForMs,
  type RateLimitPolicy,
  rateLimitState,
} from "../../admissions/admission.ts";
import { AdmissionGroups } from "../../admissions/admission-groups.ts";
import { RefusedKeys } from "../../admissions/refused-keys.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { limited, operationTimeLimitMs } from "../driver/time-limits.ts";
import { AdmissionBatches } from "./admission-batches.ts";
import type { Decision, KeyRefusal } from "./admission-decisions.ts";
import { returnPipeline } from "./admission-pipelines.ts";
import { WindowReader, type WindowView } from "./window-reader.ts";

interface MongoAdmissionsOptions {
  /** Source of the time at which a request is decided. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
  /** Remembers the refused keys, for which the window is read before it is updated. */
  readonly refusedKeys?: Pick<RefusedKeys, "note" | "has">;
  /** Maximum duration of a command that decides requests with different keys, in milliseconds. Default 1,000. */
  readonly batchLimitMs?: number;
}

// How long a refusal is remembered if its end is unknown (wrong plan, invalid key). Forgetting it costs one write.
const refusedForMs = 60_000;
// Length of an admission's id, in bytes; equal to the length of the ids that edges choose.
const placeIdBytes = 16;

/**
 * Admits API requests with a sliding-window log. An atomic update of the store's document finds the key, checks its
 * validity and the plan, drops admissions that have left the window and, if the window is not full, appends new
 * admissions. The update uses the database's clock, so the limit is exact across replicas. Requests with the same key
 * that arrive during an update are decided together by the next update; waiting requests with different keys share one
 * `updateMany` and one read.
 *
 * If this process refused a key's latest request and will probably refuse the next, it reads the window before it
 * updates the window: another refusal then needs no durable write. The limit remains exact, because the remembered
 * refusal only selects which operation runs first. The read goes to the primary and returns majority-committed data, so
 * it reflects revoked keys and changed plans. It can miss the latest admissions, but every admission that it returns is
 * committed and in the window: if the read shows a full window, the window is full. If it shows a valid key, the Pro
 * plan and a window that is not full, the update decides.
 */
export class MongoAdmissions implements Admissions, AdmissionPlaces {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #refusedKeys: Pick<RefusedKeys, "note" | "has">;
  readonly #reader: WindowReader;
  readonly #groups: AdmissionGroups<Decision>;

  constructor(
    access: Collections["access"],
    policy: RateLimitPolicy,
    { databaseTime = () => "$$NOW", refusedKeys = new RefusedKeys(), batchLimitMs }: MongoAdmissionsOptions = {},
  ) {
    this.#access = access;
    this.#policy = policy;
    this.#refusedKeys = refusedKeys;
    this.#reader = new WindowReader(access, policy, databaseTime);
    const batches = new AdmissionBatches(access, policy, databaseTime, { batchLimitMs });
    this.#groups = new AdmissionGroups(
      (keyHash, ids, limitMs) =>
        batches.decide({ hash: new Binary(keyHash), ids: ids.map((id) => new Binary(id)) }, limitMs),
      { operationLimitMs: operationTimeLimitMs },
    );
  }

  async refuse(keyHash: Uint8Array, remainingMs = unlimited): Promise<AdmissionRefusal | undefined> {
    if (!this.#refusedKeys.has(keyHash)) return undefined;
    const view = await databaseCall(() => this.#reader.read(new Binary(keyHash), remainingMs));
    const forMs = this.#likelyRefusedForMs(view ?? "revoked_or_expired");
    // If the request is not refused, noting 0 removes the key, so that `admit` decides with the update, without another
    // read.
    this.#refusedKeys.note(keyHash, forMs);
    return forMs === 0 ? undefined : this.#refusal(view ?? "revoked_or_expired");
  }

  async admit(
    keyHash: Uint8Array,
    { id = randomBytes(placeIdBytes), remainingMs = unlimited }: AdmitOptions = {},
  ): Promise<AdmissionDecision> {
    const refusal = await this.refuse(keyHash, remainingMs);
    if (refusal !== undefined) return refusal;
    const decision = await databaseCall(() => this.#groups.add(keyHash, { id, remainingMs }));
    this.#refusedKeys.note(keyHash, this.#likelyRefusedForMs(decision));
    if (typeof decision === "string" || !decision.isAdmitted) return this.#refusal(decision);
    const { _id: storeId, at, settings, epoch } = decision;
    return { admission: "admitted", storeId, rateLimit: rateLimitState(this.#policy, decision), at, settings, epoch };
  }

  async returnPlaces(
    keyHash: Uint8Array,
    ids: readonly Uint8Array[],
    storeId?: string,
  ): Promise<readonly Uint8Array[]> {
    const places = ids.map((id) => new Binary(id));
    const store = storeId === undefined ? { "keys.hash": new Binary(keyHash) } : { _id: storeId };
    const before = await databaseCall(() =>
      this.#access.findOneAndUpdate({ ...store, "admitted.ids": { $in: places } }, returnPipeline(places), {
        returnDocument: "before",
        projection: { admitted: 1 },
        ...limited,
      }),
    );
    const returned = new Set(before?.admitted.flatMap((admitted) => admitted.ids.map((id) => id.toString("base64"))));
    return ids.filter((_id, index) => returned.has(places[index]?.toString("base64") ?? ""));
  }

  #refusal(decision: WindowView | KeyRefusal): AdmissionRefusal {
    if (typeof decision === "string") return { admission: "unknown_key" };
    const { _id: storeId, plan } = decision;
    const admission = plan === "pro" ? "rate_limited" : "plan_required";
    return { admission, storeId, rateLimit: rateLimitState(this.#policy, decision) };
  }

  #likelyRefusedForMs(decision: WindowView | KeyRefusal): number {
    // Not remembered, so that random keys do not fill the cache: an update for such a key writes nothing.
    if (decision === "unknown") return 0;
    if (decision === "revoked_or_expired" || decision.plan !== "pro") return refusedForMs;
    return fullForMs(this.#policy, decision);
  }
}

const unlimited = () => Number.POSITIVE_INFINITY;
