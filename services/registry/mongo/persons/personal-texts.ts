import { Binary, type Document } from "mongodb";
import { erasedPerson } from "../../persons/person-texts.ts";
import type { TextDocument, TextKind } from "../../persons/personal-data.ts";
import type { OrderKeys } from "../../values/page-token.ts";
import type { Collections } from "../documents/collections.ts";
import { keysOf } from "../documents/compound-key.ts";
import { limited } from "../driver/time-limits.ts";

/** Where the text fields of one kind are stored, and how they are scanned. See {@link TextKind}. */
export interface TextScan {
  readonly collection: keyof Collections;
  /** The fields by which a scan is ordered: `_id`, or fields that follow the store in an index. */
  readonly order: readonly string[];
  /** The paths of the text fields; `*` stands for each item of an array, and `data` is binary. */
  readonly paths: readonly string[];
  /**
   * A counter that each rewrite increments, so that a process that has read the text before cannot write it back.
   * Default: none.
   */
  readonly counter?: string;
  /** Returns a filter for the documents that can belong to a store. */
  readonly ofStore: (storeId: string) => Document;
}

const byStore = (storeId: string) => ({ store: storeId });

/** The scans for the kinds of text that an erasure rewrites. */
export const textScans: Readonly<Record<TextKind, TextScan>> = {
  reports: {
    collection: "reports",
    order: ["at"],
    paths: ["content", "reporterEmail", "closed.by"],
    ofStore: byStore,
  },
  history: { collection: "history", order: ["certificate", "at"], paths: ["actor"], ofStore: byStore },
  store_history: {
    collection: "storeHistory",
    order: ["at", "_id"],
    paths: ["actor", "details.*.value"],
    ofStore: byStore,
  },
  api_keys: { collection: "access", order: ["_id"], paths: ["keys.*.label"], ofStore: (storeId) => ({ _id: storeId }) },
  deliveries: {
    collection: "deliveries",
    order: ["claimedAt", "_id"],
    paths: ["requestedBy", "outcome.replyExcerpt"],
    ofStore: byStore,
  },
  triggers: {
    collection: "triggerDeliveries",
    order: ["at", "_id"],
    paths: ["lastAttempt.replyExcerpt"],
    ofStore: byStore,
  },
  answers: { collection: "requests", order: ["_id"], paths: ["answer", "progress"], ofStore: keysOf },
  storefront_orders: {
    collection: "storefrontOrders",
    order: ["_id"],
    paths: ["record", "customer"],
    counter: "version",
    ofStore: keysOf,
  },
  storefront_messages: {
    collection: "storefrontMessages",
    order: ["_id"],
    paths: ["content"],
    counter: "rewrites",
    ofStore: keysOf,
  },
  // A message whose subject contains no store id may be from any store.
  quarantine: {
    collection: "quarantine",
    order: ["_id"],
    paths: ["data"],
    ofStore: (storeId) => ({
      $or: [
        { subject: { $regex: `^certificates\\.\\d+\\.${RegExp.escape(storeId)}(\\.|$)` } },
        { subject: { $not: /^certificates\.\d+\.sto_/ } },
      ],
    }),
  },
};

/** Returns a document's values for the fields that order the scan. */
export function orderOf(document: Document, { order }: Pick<TextScan, "order">): OrderKeys {
  return order.map((field) => document[field]);
}

/** Returns the text fields of a document, by path. */
export function textsOf(document: Document, { paths }: TextScan): TextDocument["texts"] {
  return Object.fromEntries(paths.flatMap((path) => textsAt(document, path.split("."))));
}

function textsAt(value: unknown, [name, ...rest]: readonly string[], path = ""): (readonly [string, string])[] {
  if (value instanceof Binary) return [[path, Buffer.from(value.value()).toString()]];
  if (name === undefined) return typeof value === "string" ? [[path, value]] : [];
  if (typeof value !== "object" || value === null) return [];
  const names = name === "*" ? Object.keys(value) : [name];
  return names.flatMap((one) => textsAt(Reflect.get(value, one), rest, path === "" ? one : `${path}.${one}`));
}

/** Returns a write that replaces text fields of a document, unless one of them has changed since it was read. */
export function rewriteOf(document: Document, texts: TextDocument["texts"], { counter }: TextScan): Document {
  const replaced = Object.keys(texts).map((path) => [
    path,
    path.split(".").reduce((at: Document | undefined, name) => at?.[name], document),
  ]);
  const filter = { _id: document._id, ...Object.fromEntries(replaced) };
  const stored = Object.entries(texts).map(([path, text]) => [
    path,
    path === "data" ? new Binary(Buffer.from(text)) : text,
  ]);
  return {
    updateOne: {
      filter,
      update: { $set: Object.fromEntries(stored), ...(counter !== undefined && { $inc: { [counter]: 1 } }) },
    },
  };
}

/** Of the given certificate ids, returns those whose owner or original buyer has been erased. */
export async function findErasedCertificates(
  certificates: Collections["certificates"],
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { email } = erasedPerson;
  const found = await certificates
    .find(
      { _id: { $in: [...ids] }, store: storeId, $or: [{ "owner.email": email }, { "originalBuyer.email": email }] },
      { projection: { _id: 1 }, ...limited },
    )
    .toArray();
  return new Set(found.map(({ _id }) => _id));
}
