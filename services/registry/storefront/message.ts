import type { Reason } from "#shared/reasons/reason.ts";

/** The payment state of an order; `unpaid` includes orders paid in part, `paid` those refunded in part. */
type PaymentState = "unpaid" | "paid" | "refunded" | "voided";

/** A line of an order. */
export interface OrderLine {
  readonly id: string;
  /** Empty if the product was deleted or is not in the platform's catalogue. */
  readonly productId: string;
  readonly title: string;
  readonly variant: string;
  readonly sku: string;
  /** Number of units ordered, including those refunded or removed later. */
  readonly quantity: number;
  /** Number of units left after refunds and removals; null if the platform does not report it. */
  readonly currentQuantity: number | null;
  readonly isGiftCard: boolean;
}

/** A refund; `units` is empty if only money was refunded. */
export interface Refund {
  readonly id: string;
  readonly units: readonly { readonly lineId: string; readonly quantity: number }[];
}

/** The buyer of an order. */
interface OrderBuyer {
  readonly name: string;
  readonly email: string;
  /** The customer's id on the platform, empty if unknown. */
  readonly customerId: string;
}

/** The customer whose data the platform asks the registry to report or to erase. */
export interface CustomerReference {
  /** Empty if unknown. */
  readonly email: string;
  /** Ids of the customer's orders that the platform's request lists. */
  readonly orderIds: readonly string[];
  /** The customer's id on the platform, empty if unknown. */
  readonly customerId: string;
}

/** The state of an order at one point in time. Times are in milliseconds since the Unix epoch. */
export interface OrderSnapshot {
  readonly id: string;
  /** Begins with `#`. */
  readonly name: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly payment: PaymentState;
  readonly isCancelled: boolean;
  readonly isTest: boolean;
  /** The buyer; unknown fields are empty. */
  readonly buyer: OrderBuyer;
  readonly lines: readonly OrderLine[];
  readonly refunds: readonly Refund[];
}

/** The state of a product at one point in time. */
export interface PlatformProduct {
  readonly id: string;
  readonly tags: readonly string[];
  readonly updatedAtMs: number;
  /** An https:// URL; empty if the product has no image. */
  readonly imageUrl: string;
}

/** The translated content of a message from a storefront platform. Stored as JSON. */
export type MessageContent =
  | { readonly kind: "order"; readonly order: OrderSnapshot }
  | { readonly kind: "refund"; readonly orderId: string; readonly refund: Refund }
  | { readonly kind: "product"; readonly product: PlatformProduct }
  | { readonly kind: "app_installed" }
  | { readonly kind: "app_uninstalled" }
  | ({ readonly kind: "customer_data_request" } & CustomerReference)
  | ({ readonly kind: "customer_erasure" } & CustomerReference)
  | { readonly kind: "shop_erasure" }
  | { readonly kind: "unreadable"; readonly problem: Reason };

/** The kinds of messages that change orders and products. */
export const orderMessageKinds = ["order", "refund", "product"] as const satisfies readonly MessageContent["kind"][];

/** A message from a storefront platform. */
export interface StorefrontMessage {
  /** Assigned by the platform; a redelivered message keeps its id. */
  readonly id: string;
  /** The platform's name for the kind of message. */
  readonly topic: string;
  /**
   * Time at which the platform created the message or, if that is unknown, at which the message arrived; in
   * milliseconds since the Unix epoch.
   */
  readonly triggeredAtMs: number;
  readonly content: MessageContent;
}
