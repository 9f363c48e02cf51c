import type { Certificate } from "../../certificates/certificate.ts";
import type { LinkedPage, VerificationLinks } from "../../certificates/verification-links.ts";
import { isLinkToken } from "../../values/identifiers.ts";
import { certificateNotFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import { certificateOf } from "../documents/convert-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { readStoreAtTime } from "./store-at-time.ts";

const options = { maxTimeMS: operationTimeLimitMs };

/** Implements VerificationLinks with MongoDB. */
export class MongoVerificationLinks implements VerificationLinks {
  readonly #collections: Pick<Collections, "certificates" | "samples" | "stores">;

  constructor(collections: Pick<Collections, "certificates" | "samples" | "stores">) {
    this.#collections = collections;
  }

  findPage(linkToken: string): Promise<LinkedPage> {
    return databaseCall(async () => {
      if (linkToken.startsWith("smp_")) {
        const found = await this.#collections.samples.findOne({ _id: linkToken }, options);
        if (found === null) throw certificateNotFound();
        const { _id: id, store: storeId, product, createdAt } = found;
        return { ...(await this.#storeWithTime(storeId)), sample: { id, storeId, product, createdAt } };
      }
      const certificate = await this.#findCertificate(linkToken);
      return { ...(await this.#storeWithTime(certificate.storeId)), certificate };
    });
  }

  findCertificate(linkToken: string): Promise<Certificate> {
    return databaseCall(() => this.#findCertificate(linkToken));
  }

  async #findCertificate(linkToken: string): Promise<Certificate> {
    // A certificate's id opens no page, because people other than the owner know the id.
    if (isLinkToken(linkToken)) {
      const found = await this.#collections.certificates.findOne({ linkToken }, options);
      if (found !== null) return certificateOf(found);
    }
    throw certificateNotFound();
  }

  async #storeWithTime(storeId: string) {
    const found = await readStoreAtTime(this.#collections.stores, storeId);
    if (found === undefined) throw certificateNotFound();
    return found;
  }
}
