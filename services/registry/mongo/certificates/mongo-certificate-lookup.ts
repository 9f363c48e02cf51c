import type { Certificate } from "../../certificates/certificate.ts";
import type {
  CertificateLabel,
  CertificateLookup,
  CertificateSelector,
  FoundCertificate,
  FoundEvent,
  HistoryEntry,
} from "../../certificates/certificate-lookup.ts";
import { historyEntriesMax } from "../../certificates/certificate-lookup.ts";
import { notFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import { certificateOf } from "../documents/convert-documents.ts";
import type { HistoryDocument } from "../documents/documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import { readStoreAtTime } from "./store-at-time.ts";

/** Implements CertificateLookup with MongoDB. */
export class MongoCertificateLookup implements CertificateLookup {
  readonly #collections: Pick<Collections, "certificates" | "history" | "stores">;

  constructor(collections: Pick<Collections, "certificates" | "history" | "stores">) {
    this.#collections = collections;
  }

  findCertificate(storeId: string, selector: CertificateSelector): Promise<FoundCertificate> {
    const { certificates, stores } = this.#collections;
    const by = "serial" in selector ? { serial: selector.serial } : { _id: selector.certificateId };
    return databaseCall(async () => {
      const [certificate, found] = await Promise.all([
        certificates.findOne({ store: storeId, ...by }, limited),
        readStoreAtTime(stores, storeId),
      ]);
      if (certificate === null || found === undefined) throw notFound("certificate");
      return { certificate: certificateOf(certificate), ...found };
    });
  }

  labelsOf(storeId: string, certificateIds: readonly string[]): Promise<ReadonlyMap<string, CertificateLabel>> {
    const projection = { serial: 1, "product.title": 1 };
    return databaseCall(async () => {
      const found = await this.#collections.certificates
        .find({ _id: { $in: [...new Set(certificateIds)] }, store: storeId }, { ...limited, projection })
        .toArray();
      return new Map(found.map(({ _id, serial, product }) => [_id, { serial, productTitle: product.title }]));
    });
  }

  findById(certificateId: string): Promise<Certificate> {
    return databaseCall(async () => {
      const found = await this.#collections.certificates.findOne({ _id: certificateId }, limited);
      if (found === null) throw notFound("certificate");
      return certificateOf(found);
    });
  }

  readHistory(storeId: string, certificateId: string): Promise<HistoryEntry[]> {
    return databaseCall(async () => {
      const newest = await this.#collections.history
        .find({ store: storeId, certificate: certificateId }, limited)
        .sort({ at: -1 })
        .limit(historyEntriesMax)
        .map(historyEntryOf)
        .toArray();
      return newest.toReversed();
    });
  }

  findId(storeId: string, serial: number): Promise<string | undefined> {
    return databaseCall(async () => {
      const selected = { ...limited, projection: { _id: 1 } };
      return (await this.#collections.certificates.findOne({ store: storeId, serial }, selected))?._id;
    });
  }

  findEvents(storeId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, FoundEvent>> {
    return databaseCall(async () => {
      const filter = { _id: { $in: [...eventIds] }, store: storeId, change: { $exists: false } };
      const found = await this.#collections.history.find(filter, limited).toArray();
      return new Map(found.map((entry) => [entry._id, { ...historyEntryOf(entry), certificateId: entry.certificate }]));
    });
  }

  async findEvent(storeId: string, eventId: string): Promise<FoundEvent> {
    const found = (await this.findEvents(storeId, [eventId])).get(eventId);
    if (found === undefined) throw notFound("event");
    return found;
  }
}

function historyEntryOf({ _id, type, change, at, cause, actor }: HistoryDocument): HistoryEntry {
  return { eventId: change === undefined ? _id : "", type, change: change ?? "", occurredAt: at, cause, actor };
}
