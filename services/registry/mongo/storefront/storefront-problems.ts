import type { Document } from "mongodb";
import type { ProblemPage, ProblemPosition, StorefrontProblem } from "../../storefront/storefront-storage.ts";
import { pageOf } from "../../values/page-token.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey, idIn } from "../documents/compound-key.ts";
import type { StorefrontMessageDocument, StorefrontOrderDocument } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { beyond } from "../driver/scan-position.ts";
import { limited } from "../driver/time-limits.ts";

type ProblemCollections = Pick<Collections, "storefrontMessages" | "storefrontOrders">;

/** Selects messages and orders whose work has failed for good. */
export const hasFailed = { failure: { $exists: true } };

/** Selects orders with notes for the merchant. */
export const hasNotes = { "notes.0": { $exists: true } };

/** Reads a page of a store's problems: messages and orders in one sequence, newest first. */
export function readProblems(
  { storefrontMessages, storefrontOrders }: ProblemCollections,
  storeId: string,
  { after, countMax }: { readonly after: ProblemPosition | undefined; readonly countMax: number },
): Promise<ProblemPage> {
  return databaseCall(async () => {
    // One more than the page holds, to detect whether another page follows.
    const limit = countMax + 1;
    // Two queries, because each condition has its own index, which holds only the orders that need attention.
    const ordersThat = (condition: Document) =>
      storefrontOrders
        .find({ $and: [{ store: storeId, ...condition }, olderThan("order", storeId, after)] }, limited)
        .sort({ changedAt: -1, _id: -1 })
        .limit(limit)
        .project<Pick<StorefrontOrderDocument, OrderField>>(projectionOf(orderFields))
        .toArray();
    const [messages, ...orders] = await Promise.all([
      storefrontMessages
        .find({ $and: [{ store: storeId, ...hasFailed }, olderThan("message", storeId, after)] }, limited)
        .sort({ receivedAt: -1, _id: -1 })
        .limit(limit)
        .project<Pick<StorefrontMessageDocument, MessageField>>(projectionOf(messageFields))
        .toArray(),
      ordersThat(hasFailed),
      ordersThat({ ...hasNotes, failure: { $exists: false } }),
    ]);
    const found: StorefrontProblem[] = [
      ...messages.map(({ _id, topic, receivedAt, failure }) => ({
        id: idIn(_id),
        topic,
        orderName: "",
        at: receivedAt,
        problems: failure === undefined ? [] : [failure],
        hasFailed: true,
        kind: "message" as const,
      })),
      ...orders.flat().map(({ _id, name, changedAt, failure, notes }) => ({
        id: idIn(_id),
        topic: "",
        orderName: name,
        at: changedAt,
        hasFailed: failure !== undefined,
        kind: "order" as const,
        problems: [...(failure === undefined ? [] : [failure]), ...notes],
      })),
    ];
    const { entries: problems, next } = pageOf(found.toSorted(newestFirst), countMax, (last) => last);
    return { problems, next };
  });
}

// These omit an order's `record` and a message's `content`, each of which can be a megabyte long.
const orderFields = ["_id", "name", "changedAt", "failure", "notes"] as const;
const messageFields = ["_id", "topic", "receivedAt", "failure"] as const;
type OrderField = (typeof orderFields)[number];
type MessageField = (typeof messageFields)[number];

function projectionOf(fields: readonly string[]): Document {
  return Object.fromEntries(fields.map((field) => [field, 1]));
}

const timeFields = { message: "receivedAt", order: "changedAt" } as const;

/** Returns the filter for the documents of one kind after a position. At equal times, orders precede messages. */
function olderThan(kind: ProblemPosition["kind"], storeId: string, after: ProblemPosition | undefined): Document {
  if (after === undefined) return {};
  const field = timeFields[kind];
  if (kind === after.kind) return beyond([field, "_id"], [after.at, compoundKey(storeId, after.id)], "$lt");
  return { [field]: { [kind === "message" ? "$lte" : "$lt"]: after.at } };
}

function newestFirst(one: ProblemPosition, other: ProblemPosition): number {
  return other.at.getTime() - one.at.getTime() || descending(one.kind, other.kind) || descending(one.id, other.id);
}

function descending(one: string, other: string): number {
  return one > other ? -1 : Number(one < other);
}
