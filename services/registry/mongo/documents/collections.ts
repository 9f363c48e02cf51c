import type { Db } from "mongodb";
import type { AccessDocument } from "./access-documents.ts";
import type {
  CertificateDocument,
  DeliveryDocument,
  EditionSeriesDocument,
  HistoryDocument,
  LogoDocument,
  MarkDocument,
  MigrationDocument,
  OutboxDocument,
  ProductDisplayDocument,
  ProductDocument,
  QuarantineDocument,
  ReplicaDocument,
  ReportDocument,
  RequestDocument,
  RestoreDocument,
  SampleDocument,
  StoreDocument,
  StoreHistoryDocument,
} from "./documents.ts";
import type { ImportDocument, ImportPartDocument, RejectedLinesDocument } from "./import-documents.ts";
import type { LeasedDocument } from "./leased-document.ts";
import type { ListenMessageDocument, ListenTokenDocument } from "./listen-documents.ts";
import type { PlatformTokenDocument, SessionDocument, SettingsLinkDocument } from "./session-documents.ts";
import type {
  ImageRequestDocument,
  StorefrontDocument,
  StorefrontMessageDocument,
  StorefrontOrderDocument,
  StorefrontProductDocument,
} from "./storefront-documents.ts";
import type { AutomationDocument, TriggerDeliveryDocument, TriggerDocument } from "./trigger-documents.ts";

/** The registry's collections by name, with the types of their documents. */
export type Collections = Readonly<ReturnType<typeof collectionsOf>>;

/** Returns handles to the registry's collections in a database; the collections need not exist. */
export function collectionsOf(database: Db) {
  return {
    stores: database.collection<StoreDocument>("stores"),
    access: database.collection<AccessDocument>("access"),
    certificates: database.collection<CertificateDocument>("certificates"),
    samples: database.collection<SampleDocument>("samples"),
    logos: database.collection<LogoDocument>("logos"),
    imports: database.collection<ImportDocument>("imports"),
    importParts: database.collection<ImportPartDocument>("importParts"),
    rejectedLines: database.collection<RejectedLinesDocument>("rejectedLines"),
    products: database.collection<ProductDocument>("products"),
    productDisplays: database.collection<ProductDisplayDocument>("productDisplays"),
    editionSeries: database.collection<EditionSeriesDocument>("editionSeries"),
    history: database.collection<HistoryDocument>("history"),
    storeHistory: database.collection<StoreHistoryDocument>("storeHistory"),
    reports: database.collection<ReportDocument>("reports"),
    requests: database.collection<RequestDocument>("requests"),
    outbox: database.collection<OutboxDocument>("outbox"),
    deliveries: database.collection<DeliveryDocument>("deliveries"),
    triggers: database.collection<TriggerDocument>("triggers"),
    triggerDeliveries: database.collection<TriggerDeliveryDocument>("triggerDeliveries"),
    automationOutbox: database.collection<AutomationDocument>("automationOutbox"),
    listenTokens: database.collection<ListenTokenDocument>("listenTokens"),
    listenMessages: database.collection<ListenMessageDocument>("listenMessages"),
    quarantine: database.collection<QuarantineDocument>("quarantine"),
    sessions: database.collection<SessionDocument>("sessions"),
    settingsLinks: database.collection<SettingsLinkDocument>("settingsLinks"),
    platformTokens: database.collection<PlatformTokenDocument>("platformTokens"),
    storefronts: database.collection<StorefrontDocument>("storefronts"),
    storefrontMessages: database.collection<StorefrontMessageDocument>("storefrontMessages"),
    storefrontOrders: database.collection<StorefrontOrderDocument>("storefrontOrders"),
    storefrontProducts: database.collection<StorefrontProductDocument>("storefrontProducts"),
    imageRequests: database.collection<ImageRequestDocument>("imageRequests"),
    migrations: database.collection<MigrationDocument>("migrations"),
    restores: database.collection<RestoreDocument>("restores"),
    leases: database.collection<LeasedDocument>("leases"),
    marks: database.collection<MarkDocument>("marks"),
    replicas: database.collection<ReplicaDocument>("replicas"),
  };
}
