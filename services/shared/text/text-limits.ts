import { emailCharactersMax } from "../email/email-address.ts";

/** The allowed length of a string, in UTF-16 code units. */
export interface TextLimits {
  readonly min: number;
  readonly max: number;
}

/**
 * The limits of the strings that callers send and the registry stores; INTERFACE.md §2.7 lists those of public fields.
 * Together they bound the size of an event: an event with every string at its limit is smaller than 16 KiB.
 */
export const textLimits = {
  /** Name of a caller, as recorded in the history. */
  actor: { min: 1, max: 100 },
  /** Name of a store, as shown on its pages. */
  displayName: { min: 0, max: 100 },
  email: { min: 3, max: emailCharactersMax },
  /** Name of an uploaded file. */
  fileName: { min: 0, max: 255 },
  idempotencyKey: { min: 1, max: 64 },
  keyLabel: { min: 1, max: 100 },
  /** RFC 5646 §4.4.1; a request may store only a supported language. */
  language: { min: 2, max: 35 },
  /** Name of a product's maker or artist. */
  maker: { min: 0, max: 100 },
  orderId: { min: 1, max: 20 },
  orderLine: { min: 1, max: 64 },
  /** Including the `#`. */
  orderName: { min: 2, max: 64 },
  personName: { min: 1, max: 255 },
  productId: { min: 0, max: 64 },
  productTitle: { min: 1, max: 255 },
  productVariant: { min: 0, max: 255 },
  reportContent: { min: 1, max: 4_000 },
  revokedReason: { min: 0, max: 255 },
  /** A domain name (RFC 1035 §2.3.4); its syntax is checked separately. */
  shop: { min: 0, max: 253 },
  sku: { min: 0, max: 255 },
  /** A product's tag on the storefront platform. */
  tag: { min: 1, max: 255 },
  url: { min: 0, max: 2_048 },
} as const satisfies Readonly<Record<string, TextLimits>>;
