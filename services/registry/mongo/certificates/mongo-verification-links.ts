import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Certificate } from "../../certificates/certificate.ts";
import type {
  LinkedPage,
  PageChange,
  PageChangeKind,
  VerificationLinks,
} from "../../certificates/verification-links.ts";
import { isLinkToken } from "../../values/identifiers.ts";
import { notFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import { certificateOf } from "../documents/convert-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import type { ProductDisplayFacts } from "../stores/mongo-product-displays.ts";
import { readStoreAtTime } from "./store-at-time.ts";

const shownKinds: ReadonlyMap<number, PageChangeKind> = new Map([
  [EventType.TRANSFERRED, "transferred"],
  [EventType.REVOKED, "revoked"],
  [EventType.REACTIVATED, "reactivated"],
]);
const changesMax = 20;
// Most entries can be reports: anyone can send ten a day, so that hiding the changes would take a stranger 100 days.
const entriesReadMax = 1_000;

/** Implements VerificationLinks with MongoDB. */
export class MongoVerificationLinks implements VerificationLinks {
  readonly #collections: Pick<Collections, "certificates" | "history" | "productDisplays" | "samples" | "stores">;

  constructor(collections: Pick<Collections, "certificates" | "history" | "productDisplays" | "samples" | "stores">) {
    this.#collections = collections;
  }

  findPage(linkToken: string): Promise<LinkedPage> {
    return databaseCall(async () => {
      if (linkToken.startsWith("smp_")) {
        const found = await this.#collections.samples.findOne({ _id: linkToken }, limited);
        if (found === null) throw notFound("certificate");
        const { _id: id, store: storeId, product, createdAt } = found;
        const [stored, display] = await Promise.all([
          this.#storeWithTime(storeId),
          this.#readDisplay(storeId, product.id),
        ]);
        return { ...stored, display, sample: { id, storeId, product, createdAt } };
      }
      const certificate = await this.#findCertificate(linkToken);
      const [found, display, changes] = await Promise.all([
        this.#storeWithTime(certificate.storeId),
        this.#readDisplay(certificate.storeId, certificate.product.id),
        this.#readChanges(certificate),
      ]);
      return { ...found, display, certificate, changes };
    });
  }

  findCertificate(linkToken: string): Promise<Certificate> {
    return databaseCall(() => this.#findCertificate(linkToken));
  }

  async #findCertificate(linkToken: string): Promise<Certificate> {
    // A certificate's id opens no page, because people other than the owner know the id.
    if (isLinkToken(linkToken)) {
      const found = await this.#collections.certificates.findOne({ linkToken }, limited);
      if (found !== null) return certificateOf(found);
    }
    throw notFound("certificate");
  }

  /** Returns the latest changes that the page shows, oldest first. */
  async #readChanges({ id, storeId }: Certificate): Promise<PageChange[]> {
    const entries = await this.#collections.history
      .find({ store: storeId, certificate: id }, { ...limited, projection: { type: 1, at: 1 } })
      .sort({ at: -1 })
      .limit(entriesReadMax)
      .toArray();
    const shown = entries.flatMap(({ type, at }) => {
      const kind = shownKinds.get(type);
      return kind === undefined ? [] : [{ kind, at }];
    });
    return shown.slice(0, changesMax).toReversed();
  }

  async #readDisplay(storeId: string, productId: string): Promise<LinkedPage["display"]> {
    // Products of certificates that were issued by hand may have no id.
    if (productId === "") return undefined;
    const found = await this.#collections.productDisplays.findOne<Pick<ProductDisplayFacts, "maker" | "image">>(
      { _id: { store: storeId, product: productId } },
      { ...limited, projection: { maker: 1, "image.id": 1, "image.width": 1, "image.height": 1 } },
    );
    return found ?? undefined;
  }

  async #storeWithTime(storeId: string) {
    const found = await readStoreAtTime(this.#collections.stores, storeId);
    if (found === undefined) throw notFound("certificate");
    return found;
  }
}
