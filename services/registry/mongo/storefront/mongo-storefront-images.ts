import { ServiceError } from "#shared/errors/service-error.ts";
import type { ImageWithContent } from "#shared/images/image.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import type { WorkClaim } from "../../leases/leased-queue.ts";
import {
  type ImageClaim,
  type ImageRequest,
  imageAttemptsMax,
  imageRequestsMax,
  type StorefrontImage,
  type StorefrontImages,
} from "../../storefront/storefront-images.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey, idIn, keysOf, ownerIn } from "../documents/compound-key.ts";
import type { ImageRequestDocument } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { addMs, type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { limited } from "../driver/time-limits.ts";
import { claimedBy, type DocumentClaim, isLeased, MongoLeases } from "../leases/mongo-leases.ts";
import type { MongoProductDisplays } from "../stores/mongo-product-displays.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";

/**
 * Life of the lease on a request, in milliseconds: longer than an attempt may take. The download may take 15 s, the
 * encoding of four images, one after another, 40 s each, and a record that is repeated about a minute.
 */
const imageLeaseMs = 240_000;

// Much longer than a lease lasts and a request is postponed.
const postponedMaxMs = 1_200_000;
// The index contains no other documents.
const isWaiting = { dueAt: { $gt: new Date(0) } } as const;

/** Implements StorefrontImages: a leased queue in the collection `imageRequests`. */
export class MongoStorefrontImages implements StorefrontImages {
  readonly #collections: Pick<Collections, "imageRequests" | "storefrontProducts">;
  readonly #history: Pick<MongoStoreHistory, "record" | "requireSession" | "transact">;
  readonly #displays: Pick<MongoProductDisplays, "write">;
  readonly #leases: MongoLeases<ImageRequestDocument>;
  readonly #now: DatabaseTime;

  constructor(
    collections: Pick<Collections, "imageRequests" | "storefrontProducts">,
    history: Pick<MongoStoreHistory, "record" | "requireSession" | "transact">,
    displays: Pick<MongoProductDisplays, "write">,
    databaseTime: DatabaseTime = () => "$$NOW",
  ) {
    this.#collections = collections;
    this.#history = history;
    this.#displays = displays;
    this.#leases = new MongoLeases(collections.imageRequests, imageLeaseMs, databaseTime);
    this.#now = databaseTime;
  }

  async find(storeId: string, productId: string): Promise<StorefrontImage> {
    const _id = compoundKey(storeId, productId);
    const [url, request] = await Promise.all([
      this.#imageUrl(_id),
      databaseCall(() => this.#collections.imageRequests.findOne({ _id }, limited)),
    ]);
    return { isKnown: url !== "", isRequested: request?.dueAt !== undefined, problem: request?.problem };
  }

  async request({ storeId, productId, title, actor, session: tokenHash }: ImageRequest): Promise<void> {
    const { imageRequests } = this.#collections;
    const _id = compoundKey(storeId, productId);
    if ((await this.#imageUrl(_id)) === "") throw new ServiceError("failed_precondition", reason("image_unknown"));
    await this.#history.transact(async (session) => {
      const found = await imageRequests.findOne({ _id }, { session });
      if (found?.dueAt !== undefined) return { commit: true, value: undefined };
      const waiting = { $and: [keysOf(storeId), isWaiting] };
      const count = await imageRequests.countDocuments(waiting, { session, limit: imageRequestsMax });
      // Transactions that run at the same time do not see each other's requests, so each can exceed the bound by one.
      if (count >= imageRequestsMax)
        throw new ServiceError("failed_precondition", reason("too_many_image_requests", { count: imageRequestsMax }));
      if (tokenHash !== undefined) await this.#history.requireSession(tokenHash, session);
      const now = toDate(toMs(this.#now()));
      const texts = { title: { $literal: title }, actor: { $literal: actor } };
      const set = { $set: { ...texts, attempts: 0, requestedAt: now, dueAt: now } };
      await imageRequests.updateOne({ _id }, [set, { $unset: "problem" }], { session, upsert: true });
      return { commit: true, value: undefined };
    });
  }

  async claim(): Promise<ImageClaim | undefined> {
    // One read by an index, in nearly all cases of an empty one.
    const first = await databaseCall(() =>
      this.#collections.imageRequests.findOne(isWaiting, { ...limited, projection: { _id: 1 } }),
    );
    if (first === null) return undefined;
    const busy = (await this.#leases.leasedAmong(isLeased)).map((id) => keysOf(ownerIn(id)));
    const dueMs = toMs("$dueAt");
    // A request that is due later than any is postponed shows that the database's clock was set back. By the database
    // itself, unlike `dueFilter`: the index is short, and a notifier may claim a request right after it was made.
    const latestMs = addMs(this.#now(), postponedMaxMs);
    const isDue = { $expr: { $or: [{ $lte: [dueMs, toMs(this.#now())] }, { $gt: [dueMs, latestMs] }] } };
    const candidates = { $and: [isWaiting, isDue], ...(busy.length > 0 && { $nor: busy }) };
    const claimed = await this.#leases.claim(candidates);
    if (claimed === undefined) return undefined;
    try {
      return await this.#offer(claimed);
    } catch (error) {
      // Otherwise the store's images would stand still until the lease expires.
      await this.#leases.release(claimed);
      throw error;
    }
  }

  /** Returns a claimed request, or settles one that cannot be fulfilled. */
  async #offer(claimed: DocumentClaim<ImageRequestDocument>): Promise<ImageClaim | undefined> {
    const { abandonedCount, id, token } = claimed;
    const url = await this.#imageUrl(id);
    // The storefront has removed the image in the meantime, or no notifier has survived an attempt.
    if (url === "") await this.fail(claimed, reason("image_unknown"));
    else if (abandonedCount >= imageAttemptsMax) await this.fail(claimed, reason("image_interrupted"));
    else return { id, token, url };
    return undefined;
  }

  async complete(claim: WorkClaim, imageOf: (storeId: string, productId: string) => ImageWithContent): Promise<void> {
    const found = await this.#claimed(claim);
    if (found === null) return;
    const { _id, title, actor } = found;
    const storeId = ownerIn(_id);
    const productId = idIn(_id);
    const image = imageOf(storeId, productId);
    const change = { action: "product_image.set", actor, details: { product: title } } as const;
    await this.#history.record(storeId, change, async (session) => {
      const { deletedCount } = await this.#collections.imageRequests.deleteOne(claimedBy(claim), { session });
      const isHeld = deletedCount === 1;
      if (isHeld) await this.#displays.write(session, storeId, { productId, title, maker: undefined, image });
      return { hasChanged: isHeld, value: undefined };
    });
  }

  async retry(claim: WorkClaim, afterMs: number, problem: Reason): Promise<void> {
    const found = await this.#claimed(claim);
    if (found === null) return;
    const attempts = found.attempts + 1;
    if (attempts >= imageAttemptsMax) await this.fail(claim, problem);
    else await this.#leases.postpone(claim, afterMs, { attempts });
  }

  async release(claim: WorkClaim): Promise<void> {
    await this.#leases.release(claim);
  }

  async fail(claim: WorkClaim, problem: Reason): Promise<void> {
    await this.#leases.complete(claim, { problem: { $literal: problem } });
  }

  #claimed(claim: WorkClaim): Promise<ImageRequestDocument | null> {
    return databaseCall(() => this.#collections.imageRequests.findOne(claimedBy(claim), limited));
  }

  /** Returns the URL of a product's image; the empty string if it has none. */
  async #imageUrl(_id: string): Promise<string> {
    const found = await databaseCall(() => this.#collections.storefrontProducts.findOne({ _id }, limited));
    return found?.imageUrl ?? "";
  }
}
