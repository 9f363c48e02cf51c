import type { Certificate } from "../certificates/certificate.ts";
import type { MessageContent, ProductSnapshot, StorefrontMessage } from "./message.ts";
import type { OrderRecord } from "./order-record.ts";
import type { StorefrontRule } from "./rules.ts";

/** The connection of a store to its storefront platform. */
export interface Storefront {
  readonly rules: readonly StorefrontRule[];
  readonly installedAt: Date | undefined;
  readonly uninstalledAt: Date | undefined;
}

/** The state of the work for a store. */
export interface WorkState {
  readonly waitingCount: number;
  readonly failedCount: number;
  /** When the last message arrived; undefined if none has. */
  readonly lastMessageAt: Date | undefined;
}

/** A message or an order that needs attention. */
export interface StorefrontProblem {
  readonly id: string;
  /** Empty for an order. */
  readonly topic: string;
  /** Empty for a message. */
  readonly orderName: string;
  readonly at: Date;
  readonly problems: readonly string[];
  readonly hasFailed: boolean;
}

/** An attempt that failed. */
export interface FailedAttempt {
  /** Number of failed attempts, this one included. */
  readonly attempts: number;
  /** When to try again; undefined: never. */
  readonly retryAt: Date | undefined;
  /** For people; without personal data. */
  readonly failure: string;
}

/** A message to work on. */
export interface WaitingMessage extends StorefrontMessage {
  readonly attempts: number;
}

/** A customer's request for the data stored about them. */
export interface DataRequest {
  readonly id: string;
  readonly requestedAt: Date;
  readonly content: Extract<MessageContent, { kind: "customer_data_request" }>;
}

/**
 * The durable inbox of messages. Methods of this and the following interfaces throw ServiceError `unavailable` when the
 * database is unavailable.
 */
export interface StorefrontInbox {
  /**
   * Stores a message unless it is stored already; one that is waiting makes its store's work due.
   *
   * @param state `waiting`: the message is to be worked on; `done`: it has taken effect; otherwise why it can never
   *   take effect
   * @returns false if the message was stored already
   */
  add(storeId: string, message: StorefrontMessage, state: "waiting" | "done" | { failure: string }): Promise<boolean>;
  has(storeId: string, messageId: string): Promise<boolean>;
  /** Returns messages that are due, those that are due longest first. */
  takeDue(storeId: string, countMax: number): Promise<WaitingMessage[]>;
  /** Marks messages as done. Discards their content, except that of requests for data. */
  settle(storeId: string, messageIds: readonly string[]): Promise<void>;
  fail(storeId: string, messageId: string, attempt: FailedAttempt): Promise<void>;
  /** Returns at most 100 requests, newest first. */
  dataRequests(storeId: string): Promise<DataRequest[]>;
}

/** An order's record with the version that a write must find. */
export interface VersionedRecord {
  readonly record: OrderRecord;
  /** 0 if the order is not stored yet. */
  readonly version: number;
}

/** An order to bring in line with its record. */
export interface DueOrder extends VersionedRecord {
  readonly orderId: string;
  readonly attempts: number;
}

/** The result of reconciling an order: notes for the merchant, and products whose tags can change the result. */
export interface OrderOutcome {
  readonly notes: readonly string[];
  readonly unmatchedProductIds: readonly string[];
}

/** The records of orders. */
export interface StorefrontOrders {
  /** Returns a record for each id, empty for an unknown order. */
  read(storeId: string, orderIds: readonly string[]): Promise<ReadonlyMap<string, VersionedRecord>>;
  /**
   * Stores changed records, which makes them due.
   *
   * @returns the ids of orders that have changed since they were read, and were not stored
   */
  write(storeId: string, records: ReadonlyMap<string, VersionedRecord>): Promise<ReadonlySet<string>>;
  /** Returns orders that are due, those that are due longest first. */
  takeDue(storeId: string, countMax: number): Promise<DueOrder[]>;
  /** Marks orders as done, unless they have changed since they were taken. */
  settle(storeId: string, done: readonly (OrderOutcome & Pick<DueOrder, "orderId" | "version">)[]): Promise<void>;
  /** Records a failure, unless the order has changed since it was taken. */
  fail(storeId: string, order: Pick<DueOrder, "orderId" | "version">, attempt: FailedAttempt): Promise<void>;
  /** Makes the orders due that were placed since a time, because the rules have changed. */
  touchSince(storeId: string, since: Date): Promise<void>;
  /** Returns all certificates of the given orders. */
  certificatesOf(storeId: string, orderIds: readonly string[]): Promise<Certificate[]>;
  /** Returns the certificates that a person owns. */
  certificatesOwnedBy(storeId: string, email: string): Promise<Certificate[]>;
}

/** The platform's products. */
export interface StorefrontProducts {
  /** Stores newer states of products, and schedules the orders for which the products' tags may matter. */
  put(storeId: string, products: readonly ProductSnapshot[]): Promise<void>;
  /** Returns the known tags of products, by product id. */
  tagsOf(storeId: string, productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** The stores' connections to their storefront platforms. */
export interface Storefronts {
  find(storeId: string): Promise<Storefront>;
  /** @param actor for the store's history */
  setRules(storeId: string, rules: readonly StorefrontRule[], actor: string): Promise<void>;
  /** Records that the app was installed, unless a later time is recorded. */
  noteInstalled(storeId: string, at: Date): Promise<void>;
  /** Records that the app was removed, unless a later time is recorded. */
  noteUninstalled(storeId: string, at: Date): Promise<void>;
  readWork(storeId: string): Promise<WorkState>;
  /** Returns failed messages, then orders that have failed or have notes; each group newest first. */
  listProblems(storeId: string, countMax: number): Promise<StorefrontProblem[]>;
  /** Makes failed work due again, except unreadable messages. @returns the number of messages and orders */
  retryFailed(storeId: string): Promise<number>;
}

/** Hands out stores with work. One replica at a time works for a store, until its lease expires. */
export interface WorkQueue {
  /** @returns a store whose lease expired, or else the store that is due longest; undefined if no store has work */
  claim(): Promise<string | undefined>;
  /** @returns false if another replica has taken over, or the lease was released */
  renew(storeId: string): Promise<boolean>;
  /** Ends the work. The store can be claimed again when a message arrives, or when its next work is due. */
  release(storeId: string): Promise<void>;
}
