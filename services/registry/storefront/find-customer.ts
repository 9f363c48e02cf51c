import { emailKey, isEmailAddress } from "#shared/email/email-address.ts";
import { erasedPerson } from "../persons/person-texts.ts";
import type { CustomerReference } from "./message.ts";
import type { StorefrontOrders, VersionedRecord } from "./storefront-storage.ts";

/** The e-mail addresses and stored orders of a customer whom a request from the platform identifies. */
interface KnownCustomer {
  /** Distinct by {@link emailKey}; without the placeholder address of erased persons. */
  readonly emails: readonly string[];
  /** The customer's orders, by id. */
  readonly orders: ReadonlyMap<string, VersionedRecord>;
}

/**
 * Finds a customer's orders and e-mail addresses: the orders that the request lists or that have its customer id, and
 * the addresses in the request, in these orders and in their certificates. A customer can therefore be found even if
 * the request contains no address.
 */
export async function findCustomer(
  orders: Pick<StorefrontOrders, "ofCustomer" | "buyersOf">,
  storeId: string,
  customer: CustomerReference,
): Promise<KnownCustomer> {
  const found = await orders.ofCustomer(storeId, customer);
  // Imported orders, and orders whose record has expired, have certificates but no record.
  const buyers = await orders.buyersOf(storeId, [...new Set([...customer.orderIds, ...found.keys()])]);
  const emails = [
    customer.email,
    ...found.values().map(({ record }) => record.order?.buyer.email ?? ""),
    ...buyers.values().flatMap((ofOrder) => ofOrder),
  ];
  const known = emails.filter((email) => isEmailAddress(email) && emailKey(email) !== emailKey(erasedPerson.email));
  return { emails: [...new Map(known.map((email) => [emailKey(email), email])).values()], orders: found };
}
