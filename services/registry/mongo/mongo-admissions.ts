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
import { FullWindows } from "../stores/full-windows.ts";
import { admissionPipeline, returnPipeline } from "./admission-pipelines.ts";
import type { Collections } from "./collections.ts";
import { databaseCall } from "./database-error.ts";
import type { DatabaseTime } from "./database-time.ts";
import { operationTimeLimitMs } from "./time-limits.ts";
import { WindowReader, type WindowView } from "./window-reader.ts";

interface MongoAdmissionsOptions {
  /** Source of the decision's time. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
  /** Selects the windows to read before writing. */
  readonly fullWindows?: Pick<FullWindows, "note" | "has">;
}

type Decision = WindowView & { readonly isAdmitted: boolean };

/**
 * Admits API requests with a sliding-window log. One atomic update of one document finds the key, checks its validity
 * and the plan, drops admissions that have left the window and, if there is room, appends a new admission. The update
 * uses the database's clock, so the limit is exact across replicas.
 *
 * A window that this process last saw full is read before it is written: a refusal then needs no durable write. The
 * limit remains exact, because memory only selects which operation runs first. The read goes to the primary and returns
 * majority-committed data, so it reflects revoked keys and changed plans. It can miss the latest admissions, but every
 * admission that it returns is committed and in the window: if the read shows a full window, the window is full. If it
 * shows room, the update decides.
 */
export class MongoAdmissions implements Admissions, AdmissionPlaces {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #databaseTime: DatabaseTime;
  readonly #fullWindows: Pick<FullWindows, "note" | "has">;
  readonly #reader: WindowReader;

  constructor(
    access: Collections["access"],
    policy: RateLimitPolicy,
    { databaseTime = () => "$$NOW", fullWindows = new FullWindows() }: MongoAdmissionsOptions = {},
  ) {
    this.#access = access;
    this.#policy = policy;
    this.#databaseTime = databaseTime;
    this.#fullWindows = fullWindows;
    this.#reader = new WindowReader(access, policy, databaseTime);
  }

  async admit(keyHash: Uint8Array, options: AdmitOptions = {}): Promise<AdmissionDecision> {
    const decision = await databaseCall(() => this.#decide(keyHash, options));
    const isPro = decision?.plan === "pro";
    this.#fullWindows.note(keyHash, isPro ? fullForMs(this.#policy, decision.admitted, decision.at) : 0);
    if (decision === undefined) return { admission: "unknown_key" };
    const { _id: storeId, admitted, at, isAdmitted } = decision;
    const rateLimit = rateLimitState(this.#policy, admitted, at);
    if (!isPro) return { admission: "plan_required", storeId, rateLimit };
    return { admission: isAdmitted ? "admitted" : "rate_limited", storeId, rateLimit };
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

  /** @returns undefined when the key is unknown or no longer valid */
  async #decide(keyHash: Uint8Array, options: AdmitOptions): Promise<Decision | undefined> {
    const hash = new Binary(keyHash);
    if (this.#fullWindows.has(keyHash)) {
      const view = await this.#reader.read(hash, options.remainingMs);
      const hasRoom = view !== undefined && view.admitted.length < this.#policy.limit;
      if (!hasRoom) return view && { ...view, isAdmitted: false };
    }
    return this.#tryAdmit(hash, options);
  }

  async #tryAdmit(
    hash: Binary,
    { id, remainingMs = () => operationTimeLimitMs }: AdmitOptions,
  ): Promise<Decision | undefined> {
    const document = await this.#access.findOneAndUpdate(
      { "keys.hash": hash },
      admissionPipeline(this.#policy, hash, this.#databaseTime(), id && new Binary(id)),
      {
        returnDocument: "after",
        projection: { plan: 1, admitted: 1, decision: 1 },
        maxTimeMS: Math.min(remainingMs(), operationTimeLimitMs),
      },
    );
    if (document === null) return undefined;
    const { _id, plan, admitted, decision } = document;
    if (decision === null) throw new Error("the update wrote no decision");
    if (decision.keyIsValid !== true) return undefined;
    return { _id, plan, at: decision.at, admitted, isAdmitted: decision.admitted };
  }
}
