import { Binary } from "mongodb";
import {
  type AdmissionDecision,
  type Admissions,
  fullForMs,
  type RateLimitPolicy,
  rateLimitState,
} from "../stores/admission.ts";
import { FullWindows } from "../stores/full-windows.ts";
import { admissionPipeline, admissionTimeLimitMs } from "./admission-pipelines.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";
import type { DatabaseTime } from "./database-time.ts";
import { WindowReader, type WindowView } from "./window-reader.ts";

/** What {@link MongoAdmissions} can be told. */
export interface MongoAdmissionsOptions {
  readonly databaseTime?: DatabaseTime;
  /** Which windows are looked at before a place is asked for. */
  readonly fullWindows?: FullWindows;
}

type Decided = WindowView & { readonly isAdmitted: boolean };

/**
 * Admits a request in one database operation: it finds the key, sees whether it is still valid, looks at the plan, drops
 * what has left the window and, if there is room, takes a place. All by the database's clock and on one document, so that
 * the limit is exact over any number of replicas.
 *
 * A window that was full when this process last saw it is read first, which costs no durable write, and a request is refused
 * on what is read. That is as exact: nothing is decided from memory, which says only what to ask first. The read
 * is of the primary and of what a majority has, so that a key that was revoked or a plan that was changed is seen by the next
 * request. It may miss the latest admissions, but what it shows was admitted for good and is in the window by the
 * database's time: the window is then full for real, whatever came after. Where it shows room, the write decides.
 */
export class MongoAdmissions implements Admissions {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #databaseTime: DatabaseTime;
  readonly #fullWindows: FullWindows;
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

  async admit(keyHash: Uint8Array): Promise<AdmissionDecision> {
    const decided = await this.#decide(keyHash);
    const isPro = decided?.plan === "pro";
    this.#fullWindows.note(keyHash, isPro ? fullForMs(this.#policy, decided.admitted, decided.at) : 0);
    if (decided === undefined) return { admission: "unknown_key" };
    const { _id: storeId, admitted, at, isAdmitted } = decided;
    const rateLimit = rateLimitState(this.#policy, admitted, at);
    if (!isPro) return { admission: "plan_required", storeId, rateLimit };
    return { admission: isAdmitted ? "admitted" : "rate_limited", storeId, rateLimit };
  }

  /** @returns undefined when the key is unknown, or its time has ended */
  async #decide(keyHash: Uint8Array): Promise<Decided | undefined> {
    const hash = new Binary(keyHash);
    try {
      if (this.#fullWindows.has(keyHash)) {
        const view = await this.#reader.read(hash);
        const hasRoom = view !== undefined && view.admitted.length < this.#policy.limit;
        if (!hasRoom) return view && { ...view, isAdmitted: false };
      }
      return await this.#takePlace(hash);
    } catch (error) {
      throw databaseError(error);
    }
  }

  /** Takes a place if there is room. */
  async #takePlace(hash: Binary): Promise<Decided | undefined> {
    const document = await this.#access.findOneAndUpdate(
      { "keys.hash": hash },
      admissionPipeline(this.#policy, hash, this.#databaseTime()),
      {
        returnDocument: "after",
        projection: { plan: 1, admitted: 1, decision: 1 },
        maxTimeMS: admissionTimeLimitMs,
      },
    );
    if (document === null) return undefined;
    const { _id, plan, admitted, decision } = document;
    if (decision === null) throw new Error("the decision is missing");
    if (decision.keyIsValid !== true) return undefined;
    return { _id, plan, at: decision.at, admitted, isAdmitted: decision.admitted };
  }
}
