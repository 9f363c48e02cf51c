import type { ErasureProgress } from "#shared/erasure/erase-until-nothing-is-found.ts";
import type { Reason } from "#shared/reasons/reason.ts";
import type { MessageContent } from "../../storefront/message.ts";
import type { StorefrontRule } from "../../storefront/rules.ts";
import type { ImageRequest } from "../../storefront/storefront-images.ts";
import type { LeasedDocument } from "./leased-document.ts";

/** A store's connection to its storefront platform, by the store's id, and when its messages and orders are due. */
export interface StorefrontDocument extends LeasedDocument {
  /** Absent until rules are first set; empty once all have been removed. */
  readonly rules?: readonly StorefrontRule[];
  /** Number of changes to the rules; absent means 0. */
  readonly rulesVersion?: number;
  readonly installedAt?: Date;
  readonly uninstalledAt?: Date;
  /** Number of sessions that tokens of the platform opened; absent means 0. */
  readonly signIns?: number;
  /** Orders placed since this time have yet to be made due, because the rules have changed; absent if none have. */
  readonly touchSince?: Date;
  /** Orders that wait for one of these have yet to be made due; absent if none have. */
  readonly touchWaiting?: readonly string[];
  /**
   * Number of changes that may have added to `touchWaiting`, of passes in `touching`, and of writes that other
   * transactions must conflict with; absent means 0.
   */
  readonly touches?: number;
  /** The pass that makes orders due; absent if none is in progress. */
  readonly touching?: TouchPass;
  /** When the last message arrived, repeated ones included; absent if none has. */
  readonly lastMessageAt?: Date;
}

/** A pass over a store's orders, in the order of their ids. What changes meanwhile needs the next pass. */
export interface TouchPass {
  /** No other pass of the store has the same number. */
  readonly number: number;
  /** As `touchSince` and `touchWaiting` were when the pass began. */
  readonly since?: Date;
  readonly waitsFor: readonly string[];
  /** The id of the last order that was made due; empty before the first. */
  readonly after: string;
}

/** The fields that track the processing of a message or an order. */
interface WorkFields {
  /** When the work is due; absent once it is done or has failed for good. */
  readonly dueAt?: Date;
  /** Number of attempts that failed, except because of an outage, or have begun; see {@link Attempt}. */
  readonly attempts: number;
  /**
   * How many of the attempts have begun since a worker last survived one; absent means 0. If it is more than
   * `attempts`, those have been reset since. A lease counts only how many workers died of the store's work as a whole.
   */
  readonly deaths?: number;
  /** The worker that began the last of them. */
  readonly begunBy?: string;
  /** Why the work has failed for good; absent unless it has. */
  readonly failure?: Reason;
}

/** A message from a storefront platform. */
export interface StorefrontMessageDocument extends WorkFields {
  /** The store's id, a slash and the message's id, so that a message is stored only once. */
  readonly _id: string;
  readonly store: string;
  readonly kind: MessageContent["kind"];
  readonly topic: string;
  readonly triggeredAt: Date;
  readonly receivedAt: Date;
  /** A MessageContent as JSON; the empty string once it is no longer needed. */
  readonly content: string;
  /** The e-mail addresses of the person to erase, while an erasure is in progress. */
  readonly erasing?: readonly string[];
  /** Since when, and how far, the erasure is in progress; set together with `erasing`. */
  readonly erasure?: ErasureProgress & { readonly since: Date };
  /** How often an erasure has rewritten the content; absent means 0. */
  readonly rewrites?: number;
}

/** An order on a storefront platform, and the state of its processing. */
export interface StorefrontOrderDocument extends WorkFields {
  /** The store's id, a slash and the order's id. */
  readonly _id: string;
  readonly store: string;
  /** Empty while only refunds of the order are known. */
  readonly name: string;
  /** The customer's id on the platform; empty if unknown or erased. */
  readonly customer: string;
  /** When the order was placed; the Unix epoch while it is unknown. */
  readonly orderedAt: Date;
  /** An OrderRecord as JSON. */
  readonly record: string;
  /** Increases with each change to the record, and each time that another input's change makes the order due. */
  readonly version: number;
  readonly changedAt: Date;
  /** Notes about the order for the merchant. */
  readonly notes: readonly Reason[];
  /** See `OrderOutcome.waitsFor`. */
  readonly unmatchedProducts: readonly string[];
  /** Present until the order has been compared with its certificates once. */
  readonly uncompared?: true;
}

/** The tags and the image of a product on a storefront platform. */
export interface StorefrontProductDocument {
  /** The store's id, a slash and the product's id. */
  readonly _id: string;
  readonly tags: readonly string[];
  /** An https:// URL; empty if the product has no image. */
  readonly imageUrl: string;
  readonly updatedAt: Date;
  /** Breaks ties of `updatedAt`, like StateRank. */
  readonly triggeredAt: Date;
  readonly messageId: string;
}

/** A merchant's request for the storefront's image of a product. Due until it has failed; deleted once it succeeded. */
export interface ImageRequestDocument extends LeasedDocument, Pick<ImageRequest, "title" | "actor"> {
  /** The store's id, a slash and the product's id. */
  readonly _id: string;
  readonly requestedAt: Date;
  /** Number of failed attempts. */
  readonly attempts: number;
  /** Why the request failed; absent unless it did. */
  readonly problem?: Reason;
}
