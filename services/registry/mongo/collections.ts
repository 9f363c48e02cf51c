import type { Collection, Db } from "mongodb";
import type {
  AccessDocument,
  CertificateDocument,
  DeliveryDocument,
  HistoryDocument,
  LeaseDocument,
  OutboxDocument,
  ProductDocument,
  QuarantineDocument,
  ReportDocument,
  RequestDocument,
  SampleDocument,
  StoreDocument,
} from "./documents.ts";

/** The registry's collections. */
export interface Collections {
  readonly stores: Collection<StoreDocument>;
  readonly access: Collection<AccessDocument>;
  readonly certificates: Collection<CertificateDocument>;
  readonly samples: Collection<SampleDocument>;
  readonly products: Collection<ProductDocument>;
  readonly history: Collection<HistoryDocument>;
  readonly reports: Collection<ReportDocument>;
  readonly requests: Collection<RequestDocument>;
  readonly outbox: Collection<OutboxDocument>;
  readonly deliveries: Collection<DeliveryDocument>;
  readonly quarantine: Collection<QuarantineDocument>;
  readonly leases: Collection<LeaseDocument>;
}

/** Returns the registry's collections in a database. */
export function collectionsOf(database: Db): Collections {
  return {
    stores: database.collection("stores"),
    access: database.collection("access"),
    certificates: database.collection("certificates"),
    samples: database.collection("samples"),
    products: database.collection("products"),
    history: database.collection("history"),
    reports: database.collection("reports"),
    requests: database.collection("requests"),
    outbox: database.collection("outbox"),
    deliveries: database.collection("deliveries"),
    quarantine: database.collection("quarantine"),
    leases: database.collection("leases"),
  };
}
