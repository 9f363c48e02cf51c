import type { Collection, Db } from "mongodb";
import type {
  AccessDocument,
  CertificateDocument,
  DeliveryDocument,
  LeaseDocument,
  OutboxDocument,
  ProductDocument,
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
  readonly outbox: Collection<OutboxDocument>;
  readonly deliveries: Collection<DeliveryDocument>;
  readonly leases: Collection<LeaseDocument>;
}

/** The collections of a database. */
export function collectionsOf(database: Db): Collections {
  return {
    stores: database.collection("stores"),
    access: database.collection("access"),
    certificates: database.collection("certificates"),
    samples: database.collection("samples"),
    products: database.collection("products"),
    outbox: database.collection("outbox"),
    deliveries: database.collection("deliveries"),
    leases: database.collection("leases"),
  };
}
