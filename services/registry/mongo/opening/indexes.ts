import type { IndexDescription } from "mongodb";
import { answerLifeMs } from "../../certificates/idempotent.ts";
import { defaultRetention, type Retention } from "../../values/retention.ts";
import { isStoredExpired, mayExpire } from "../certificates/settle-expired.ts";
import type { Collections } from "../documents/collections.ts";
import { isHead } from "../documents/trigger-documents.ts";
import { leasedIndex } from "../leases/mongo-leases.ts";
import { hasFailed, hasNotes } from "../storefront/storefront-problems.ts";

const daySeconds = 86_400;
// How long automation events are kept while they cannot be published, for example because NATS was removed.
const automationDays = 7;
// Long enough for a listener that loses its connection; the messages contain personal data.
const listenMessageSeconds = 3_600;

/** The indexes of each collection. */
type Indexes = Readonly<Record<keyof Collections, readonly IndexDescription[]>>;

/**
 * Returns the indexes of each collection. An index whose definition changes needs a new name; only the lifetime of a
 * TTL index can change in place.
 *
 * Each list filter has an index that continues with `updatedAt`, so that a page with one filter scans only its own
 * entries, in list order. The exceptions are the serial number, which matches at most one certificate, and the words
 * of a search (services/registry/mongo/certificates/plan-search.ts): an index that continues with `updatedAt` would
 * have to replace all words of a certificate with each change.
 */
export function indexesFor(retention: Retention): Indexes {
  return {
    stores: [{ name: "shop", key: { shop: 1 }, unique: true }],
    access: [
      { name: "key_hash", key: { "keys.hash": 1 } },
      { name: "key_use", key: { "keys.lastUsedAt": 1 } },
    ],
    certificates: [
      { name: "feed", key: { store: 1, updatedAt: 1 }, unique: true },
      { name: "serial", key: { store: 1, serial: 1 }, unique: true },
      { name: "feed_by_owner", key: { store: 1, ownerEmailKey: 1, updatedAt: 1 } },
      { name: "feed_by_order_name", key: { store: 1, "order.name": 1, updatedAt: 1 } },
      { name: "feed_by_order_id", key: { store: 1, "order.id": 1, updatedAt: 1 } },
      { name: "feed_by_status", key: { store: 1, status: 1, updatedAt: 1, expiresAt: 1 } },
      { name: "words", key: { store: 1, words: 1 } },
      { name: "may_expire", key: { store: 1, expiresAt: 1 }, partialFilterExpression: mayExpire },
      { name: "stored_expired", key: { store: 1, expiresAt: 1 }, partialFilterExpression: isStoredExpired },
      {
        name: "issue_key",
        key: { store: 1, issueKey: 1 },
        unique: true,
        partialFilterExpression: { issueKey: { $exists: true } },
      },
      {
        name: "link_token",
        key: { linkToken: 1 },
        unique: true,
        partialFilterExpression: { linkToken: { $exists: true } },
      },
    ],
    samples: [{ name: "store", key: { store: 1, createdAt: 1 } }],
    logos: [{ name: "store", key: { store: 1 } }],
    imports: [
      { name: "store_order", key: { store: 1, createdAt: -1 } },
      { name: "due", key: { dueAt: 1 }, sparse: true },
      leasedIndex,
      { name: "life", key: { createdAt: 1 }, expireAfterSeconds: 30 * daySeconds },
    ],
    importParts: [
      { name: "store", key: { store: 1 } },
      { name: "life", key: { createdAt: 1 }, expireAfterSeconds: daySeconds },
    ],
    rejectedLines: [
      { name: "store", key: { store: 1 } },
      { name: "life", key: { createdAt: 1 }, expireAfterSeconds: 30 * daySeconds },
    ],
    editionSeries: [],
    products: [
      { name: "sku", key: { "_id.store": 1, "variants.sku": 1 }, unique: true },
      { name: "store_order", key: { "_id.store": 1, "_id.product": 1 } },
    ],
    productDisplays: [
      { name: "store_order", key: { "_id.store": 1, "_id.product": 1 } },
      { name: "image", key: { "image.id": 1 } },
    ],
    history: [{ name: "certificate", key: { store: 1, certificate: 1, at: 1 }, unique: true }],
    storeHistory: [{ name: "store_order", key: { store: 1, at: 1, _id: 1 } }],
    reports: [
      { name: "store_order", key: { store: 1, at: -1 }, unique: true },
      // Open reports lack the field, so that they are in the order of the list.
      { name: "by_closing", key: { store: 1, "closed.at": 1, at: -1 } },
      { name: "stored_by_store", key: { store: 1, storedAt: 1 } },
      { name: "stored_by_certificate", key: { certificate: 1, storedAt: 1 } },
      // Without the field, they are kept.
      { name: "life", key: { "closed.at": 1 }, expireAfterSeconds: retention.closedReportDays * daySeconds },
    ],
    requests: [{ name: "life", key: { at: 1 }, expireAfterSeconds: answerLifeMs / 1_000 }],
    outbox: [
      { name: "store_order", key: { store: 1, at: 1 }, unique: true },
      { name: "fresh_of_partition", key: { taken: 1, partition: 1, at: 1 } },
    ],
    deliveries: [
      { name: "log", key: { store: 1, claimedAt: 1, _id: 1 } },
      { name: "log_by_certificate", key: { store: 1, certificate: 1, claimedAt: 1, _id: 1 } },
      // Also for lists with some of the three filters; see mongo-delivery-log.ts.
      { name: "log_by_fields", key: { store: 1, "outcome.kind": 1, type: 1, resent: 1, claimedAt: 1, _id: 1 } },
      { name: "resent_as", key: { resentAs: 1 }, partialFilterExpression: { resentAs: { $exists: true } } },
      { name: "life", key: { claimedAt: 1 }, expireAfterSeconds: retention.deliveryLogDays * daySeconds },
    ],
    triggers: [
      { name: "store", key: { store: 1, createdAt: 1 } },
      { name: "due", key: { dueAt: 1 } },
      { name: "timed", key: { timedAt: 1 } },
    ],
    triggerDeliveries: [
      { name: "fresh", key: { at: 1 }, partialFilterExpression: { fresh: true } },
      { name: "heads", key: { trigger: 1, dueAt: 1 }, partialFilterExpression: isHead },
      { name: "head", key: { trigger: 1, certificate: 1 }, unique: true, partialFilterExpression: isHead },
      { name: "certificate_order", key: { state: 1, trigger: 1, certificate: 1, at: 1 } },
      { name: "oldest", key: { state: 1, at: 1 } },
      { name: "log", key: { store: 1, at: 1, _id: 1 } },
      { name: "log_by_trigger", key: { store: 1, trigger: 1, at: 1, _id: 1 } },
      { name: "life", key: { at: 1 }, expireAfterSeconds: retention.deliveryLogDays * daySeconds },
    ],
    automationOutbox: [
      { name: "store_order", key: { store: 1, at: 1 }, unique: true },
      { name: "life", key: { at: 1 }, expireAfterSeconds: automationDays * daySeconds },
    ],
    quarantine: [{ name: "life", key: { at: 1 }, expireAfterSeconds: retention.quarantineDays * daySeconds }],
    sessions: [
      { name: "store", key: { store: 1 } },
      { name: "life", key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    ],
    settingsLinks: [
      { name: "store", key: { store: 1 } },
      { name: "life", key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    ],
    listenTokens: [
      { name: "store", key: { store: 1, token: 1 } },
      { name: "life", key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    ],
    listenMessages: [
      { name: "store_order", key: { store: 1, number: 1 } },
      { name: "life", key: { at: 1 }, expireAfterSeconds: listenMessageSeconds },
    ],
    platformTokens: [{ name: "life", key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
    storefronts: [{ name: "due", key: { dueAt: 1 } }, leasedIndex],
    storefrontMessages: [
      { name: "due", key: { store: 1, dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
      { name: "failures", key: { store: 1, receivedAt: 1, _id: 1 }, partialFilterExpression: hasFailed },
      { name: "store_order", key: { store: 1, receivedAt: 1 } },
      { name: "by_kind", key: { store: 1, kind: 1, receivedAt: 1 } },
      { name: "life", key: { receivedAt: 1 }, expireAfterSeconds: retention.storefrontDays * daySeconds },
    ],
    storefrontOrders: [
      { name: "due", key: { store: 1, dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
      { name: "failures", key: { store: 1, changedAt: 1, _id: 1 }, partialFilterExpression: hasFailed },
      { name: "noted", key: { store: 1, changedAt: 1, _id: 1 }, partialFilterExpression: hasNotes },
      { name: "store_order", key: { store: 1, changedAt: 1 } },
      { name: "by_order_time", key: { store: 1, orderedAt: 1, _id: 1 } },
      { name: "unmatched", key: { store: 1, unmatchedProducts: 1 } },
      { name: "by_customer", key: { store: 1, customer: 1 } },
      { name: "life", key: { changedAt: 1 }, expireAfterSeconds: retention.storefrontDays * daySeconds },
    ],
    storefrontProducts: [],
    imageRequests: [
      { name: "due", key: { dueAt: 1 }, sparse: true },
      leasedIndex,
      { name: "life", key: { requestedAt: 1 }, expireAfterSeconds: daySeconds },
    ],
    migrations: [],
    restores: [],
    leases: [],
    marks: [],
    replicas: [],
  };
}

/** The indexes with the default retention. */
export const indexes = indexesFor(defaultRetention);
