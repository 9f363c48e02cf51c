import type { ErasureProgress } from "#shared/erasure/erase-until-nothing-is-found.ts";
import type { Reason } from "#shared/reasons/reason.ts";
import type { Certificate } from "../certificates/certificate.ts";
import type { CustomerReference, MessageContent, PlatformProduct, StorefrontMessage } from "./message.ts";
import type { OrderRecord, StateRank } from "./order-record.ts";
import type { StorefrontRule } from "./rules.ts";

/** A store's connection to its storefront platform. */
export interface Storefront {
  readonly rules: readonly StorefrontRule[];
  /** Increases with each change of the rules; 0 before the first one. */
  readonly rulesVersion: number;
  /** Increases whenever an erasure has rewritten the store's messages. */
  readonly erasures: number;
  readonly installedAt: Date | undefined;
  readonly uninstalledAt: Date | undefined;
  /** Whether orders have yet to be made due after a change of rules, tags or the catalogue. */
  readonly hasTouchLeft: boolean;
}

/** Returns whether the app was removed from the store and not installed again. */
export function isClosed({ installedAt, uninstalledAt }: Pick<Storefront, "installedAt" | "uninstalledAt">): boolean {
  return uninstalledAt !== undefined && (installedAt === undefined || installedAt <= uninstalledAt);
}

/** Up to which number a store's waiting messages, failed messages, waiting orders and failed orders are counted. */
export const workCountMax = 10_000;

/**
 * A store's waiting and failed work, each kind counted up to {@link workCountMax}, and when the store's last message
 * arrived.
 */
export interface WorkState {
  /** Number of waiting messages and orders, plus one if {@link Storefront.hasTouchLeft}. */
  readonly waitingCount: number;
  readonly failedCount: number;
  /** When the last message arrived, including redelivered messages; undefined before the first message. */
  readonly lastMessageAt: Date | undefined;
}

/** The number of data requests of a store that are listed: the newest ones. */
export const dataRequestsMax = 100;

/** A position in the list of problems, which is ordered by time, kind and id, all descending. */
export interface ProblemPosition {
  readonly at: Date;
  readonly kind: "message" | "order";
  /** Id of the message or of the order. */
  readonly id: string;
}

/** A message or an order that needs attention. */
export interface StorefrontProblem extends ProblemPosition {
  /** Empty for an order. */
  readonly topic: string;
  /** Empty for a message. */
  readonly orderName: string;
  readonly problems: readonly Reason[];
  readonly hasFailed: boolean;
}

/** A page of the list of problems, newest first. */
export interface ProblemPage {
  readonly problems: readonly StorefrontProblem[];
  /** Position of the last problem on this page; undefined if no page follows. */
  readonly next: ProblemPosition | undefined;
}

/** An attempt to process a message or to reconcile an order that has not completed it. */
export interface Attempt {
  /**
   * What the number of failed attempts changes by; it is never less than 0. Relative, because another worker may be
   * making an attempt at the same time.
   */
  readonly added: number;
  /** When to retry; undefined after the last automatic attempt. */
  readonly retryAt: Date | undefined;
  /** A human-readable message without personal data. */
  readonly failure: Reason;
}

/** The attempts to process a message or to reconcile an order that have failed or begun. */
export interface Attempts {
  readonly attempts: number;
  /** How many of them began after the last one that a worker survived. */
  readonly deaths: number;
}

/** The erasure that a message requests. */
export interface Erasing {
  /** The e-mail addresses of the person. */
  readonly emails: readonly string[];
  /** When the erasure began: imports that the merchant uploaded later are kept. */
  readonly since: Date;
  readonly progress: ErasureProgress;
}

/** A message to process. */
export interface WaitingMessage extends StorefrontMessage, Attempts {
  readonly dueAt: Date;
  /** The progress recorded by {@link StorefrontInbox.noteErasing} for this message; undefined before that. */
  readonly erasing: Erasing | undefined;
  /** How often an erasure has rewritten the content. */
  readonly rewrites: number;
}

/** `orders`: messages that change orders or products; `customers`: all others, such as requests for data. */
export type MessageGroup = "orders" | "customers";

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
   * Stores a message unless it is stored already. In either case, records the current time as that of the store's last
   * message and, in the state `waiting`, makes the store's work due.
   *
   * @param state `waiting`: the message must be processed; `done`: it has taken effect; `failure`: why it can never
   *   take effect
   * @returns false if the message had already been stored
   */
  add(storeId: string, message: StorefrontMessage, state: "waiting" | "done" | { failure: Reason }): Promise<boolean>;
  has(storeId: string, messageId: string): Promise<boolean>;
  /** Returns the number of the store's failed messages, counted up to `countMax`. */
  countFailed(storeId: string, countMax: number): Promise<number>;
  /**
   * Returns due messages, ordered by due time.
   *
   * @param group `orders`: the messages of orderMessageKinds; `customers`: the others
   */
  takeDue(storeId: string, group: MessageGroup, countMax: number): Promise<WaitingMessage[]>;
  /**
   * Marks messages as done, and discards their content, except that of requests for data. A message that an erasure has
   * rewritten since it was taken stays due, because its effects may contain the erased data: applied again, it erases
   * them. The message that requests the erasure is marked as done in any case.
   *
   * @returns false if one of the messages was rewritten
   */
  settle(storeId: string, messages: readonly Pick<WaitingMessage, "id" | "rewrites">[]): Promise<boolean>;
  /**
   * Counts an attempt before it begins, as failed, because it may kill the worker. Until it is known to have survived,
   * only a person's retry takes the count back. An attempt of the worker that began the last one is not counted again:
   * that worker is alive, and either the reply to its call was lost, or its note that it has survived was.
   *
   * @param workerId identifies the process
   * @returns false, and changes nothing, if the message is done or has failed for good
   */
  begin(storeId: string, messageId: string, workerId: string, dueAt: Date): Promise<boolean>;
  /** Takes the counts of {@link begin} back: a worker has survived, so that earlier deaths had other causes. */
  noteSurvived(storeId: string, messageId: string): Promise<void>;
  /** Records an attempt. @returns false, and changes nothing, if the message is done or has failed for good */
  record(storeId: string, messageId: string, attempt: Attempt): Promise<boolean>;
  /**
   * Stores the beginning of the erasure that a message requests, by the database's clock, unless another worker has.
   *
   * @param emails the e-mail addresses of the person
   * @returns what is stored; undefined if another worker has completed the erasure
   */
  beginErasing(storeId: string, messageId: string, emails: readonly string[]): Promise<Erasing | undefined>;
  /**
   * Stores the progress of the erasure that a message requests, until the message is settled. An interrupted erasure
   * needs the addresses, because the data in which they were found may already be erased.
   */
  noteErasing(storeId: string, messageId: string, erasing: Erasing): Promise<void>;
  /** Returns the newest {@link dataRequestsMax} requests, newest first. */
  dataRequests(storeId: string): Promise<DataRequest[]>;
}

/** An order's record, with its version for optimistic concurrency control. */
export interface VersionedRecord {
  readonly record: OrderRecord;
  /** 0 if the order is not stored yet. */
  readonly version: number;
}

/** An order whose certificates must be reconciled with its record. */
export interface DueOrder extends VersionedRecord, Attempts {
  readonly orderId: string;
  /** As stored after the last attempt. */
  readonly waitsFor: readonly string[];
}

/** The result of reconciling an order. */
export interface OrderOutcome {
  /** Notes for the merchant. */
  readonly notes: readonly Reason[];
  /**
   * The inputs outside the order whose change can alter the result: the id of a product whose tags matter, or `sku:`
   * and the SKU of a product whose edition is sold out.
   */
  readonly waitsFor: readonly string[];
}

/** Storage of order records; also tracks which orders are due. */
export interface StorefrontOrders {
  /** Returns a record for each id, empty for an unknown order. */
  read(storeId: string, orderIds: readonly string[]): Promise<ReadonlyMap<string, VersionedRecord>>;
  /**
   * Stores changed records, which makes their orders due.
   *
   * @returns the ids of the orders to merge and write again: every order that was not stored because it has changed
   *   since it was read, and possibly others
   */
  write(storeId: string, records: ReadonlyMap<string, VersionedRecord>): Promise<ReadonlySet<string>>;
  /**
   * Returns due orders, ordered by due time. A change of certificates that began before one of them was stored, and so
   * does not make it due, is visible afterwards, or begins again.
   */
  takeDue(storeId: string, countMax: number): Promise<DueOrder[]>;
  /**
   * Marks orders as done, unless they have become due again since they were taken. An order that waits for other inputs
   * than before stays due and is compared once more: these inputs may have changed before anyone knew that it waits.
   */
  settle(storeId: string, done: readonly { readonly order: DueOrder; readonly outcome: OrderOutcome }[]): Promise<void>;
  /**
   * As {@link StorefrontInbox.begin}; the count remains, too, when another input's change makes the order due.
   *
   * @returns false, and changes nothing, if the order is done, has failed for good or has changed since it was taken
   */
  begin(storeId: string, order: Pick<DueOrder, "orderId" | "version">, workerId: string, dueAt: Date): Promise<boolean>;
  /** As {@link StorefrontInbox.noteSurvived}, also if the order has changed since it was taken. */
  noteSurvived(storeId: string, orderId: string): Promise<void>;
  /**
   * Records an attempt.
   *
   * @returns false, and changes nothing, if the order is done, has failed for good or has changed since it was taken
   */
  record(storeId: string, order: Pick<DueOrder, "orderId" | "version">, attempt: Attempt): Promise<boolean>;
  /** Returns the stored orders that `customer` lists or that have the customer's id, by order id. */
  ofCustomer(
    storeId: string,
    customer: Pick<CustomerReference, "orderIds" | "customerId">,
  ): Promise<ReadonlyMap<string, VersionedRecord>>;
  /**
   * Returns the certificates of the given orders, of which each can have thousands.
   *
   * @param countMax how many at most. Default: all, for orders whose units the caller has counted
   */
  certificatesOf(storeId: string, orderIds: readonly string[], countMax?: number): Promise<Certificate[]>;
  /** Returns the e-mail addresses of the original buyers of the given orders' certificates, by order id. */
  buyersOf(storeId: string, orderIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  /** Returns the certificates that a person owns, at most `countMax`. */
  certificatesOwnedBy(storeId: string, email: string, countMax: number): Promise<Certificate[]>;
}

/** A product's state, with the rank that decides which of two states is newer. */
export interface RankedProduct {
  readonly product: PlatformProduct;
  readonly rank: StateRank;
}

/** Storage of the platform's products. */
export interface StorefrontProducts {
  /**
   * Stores the product states that rank higher than the stored ones, and makes the orders due that wait for a product
   * whose change of tags can change which rules select it, in one transaction.
   *
   * @throws ServiceError `failed_precondition` if the store would have more than the maximum number of products
   */
  put(storeId: string, products: readonly RankedProduct[]): Promise<void>;
  /** Returns the known tags of products, by product id. */
  tagsOf(storeId: string, productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** A change to a store's rules, apart from the rules themselves. */
export interface RulesChange {
  /** The version that the current rules must have. */
  readonly expectedVersion: number;
  /** The actor that the store's history shows for the change. */
  readonly actor: string;
  /** Orders placed since this time must be compared with the new rules; undefined if no orders must be. */
  readonly touchSince: Date | undefined;
}

/** Storage of the stores' connections to their storefront platforms. */
export interface Storefronts {
  find(storeId: string): Promise<Storefront>;
  /**
   * Replaces the rules, and makes the store's work due if orders must be compared with them.
   *
   * @returns the new version
   * @throws ServiceError `conflict` if the rules have another version, `not_found` for an unknown store
   */
  setRules(storeId: string, rules: readonly StorefrontRule[], change: RulesChange): Promise<number>;
  /**
   * Makes at most `countMax` orders due, even failed ones, which changed rules, tags or editions may affect, and stores
   * how far it came: those placed since a time, and those that wait for a changed input (see
   * {@link OrderOutcome.waitsFor}). Each change affects every order once, however many workers call it.
   */
  touchOrders(storeId: string, countMax: number): Promise<void>;
  /**
   * Records that the app was installed at the given time, unless a later time is recorded. A time that is more than
   * `platformLeadMaxMs` in the future is replaced with the latest permitted time.
   */
  noteInstalled(storeId: string, at: Date): Promise<void>;
  /**
   * Records that the app was removed at the given time, see {@link noteInstalled}, and revokes the store's API keys,
   * listen tokens, sessions and sign-in links, in one transaction, which also deletes the requests for images. If the
   * app has been installed again since, only what was created until the removal is revoked. Does nothing if this
   * removal or a later one is recorded.
   */
  noteUninstalled(storeId: string, at: Date): Promise<void>;
  readWork(storeId: string): Promise<WorkState>;
  /** Lists failed messages, and orders that have failed or have notes. */
  listProblems(
    storeId: string,
    page: { readonly after: ProblemPosition | undefined; readonly countMax: number },
  ): Promise<ProblemPage>;
  /**
   * Makes failed messages and orders due again, except unreadable messages, and returns their number: at most
   * {@link workCountMax} of each kind. If the database fails meanwhile, returns the number until then, and reports the
   * error. The store's history names the actor and how many had failed, even if this process dies meanwhile.
   */
  retryFailed(storeId: string, actor: string, onFailure: (error: unknown) => void): Promise<number>;
}

/** The longest time by which a message or an order is postponed, in milliseconds. */
export const postponedMaxMs = 60_000;

/**
 * How long a worker's lease on a store lasts after it is claimed or renewed, in milliseconds. A worker that is frozen
 * for longer may work at the same time as another, which costs time but is safe.
 */
export const workLeaseMs = 10_000;
