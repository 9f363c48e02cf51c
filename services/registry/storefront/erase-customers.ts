import { emailKey, isEmailAddress } from "#shared/email/email-address.ts";
import { type ErasePersonDeps, erasePerson } from "../persons/erase-person.ts";
import { erasedPerson } from "../persons/person-texts.ts";
import { isClosed } from "./close-store.ts";
import { storefrontActor } from "./reconcile-order.ts";
import type { StorefrontOrders, Storefronts, WaitingMessage } from "./storefront-storage.ts";

/** Dependencies of {@link eraseCustomers}. */
export interface EraseCustomersDeps {
  readonly persons: ErasePersonDeps;
  readonly storefronts: Pick<Storefronts, "find">;
  readonly orders: Pick<StorefrontOrders, "certificatesOf">;
  /** Records the start of an erasure in the store's history. */
  readonly recordErasure: (storeId: string, actor: string) => Promise<void>;
}

/**
 * Carries out a message that asks for an erasure: of one customer, or of all customers of a store that no longer uses
 * the app. Messages of other kinds have no effect.
 *
 * @param keepLease called after each step of an erasure
 * @throws ServiceError `unavailable` while the database or NATS is unavailable; the erasure then starts again
 */
export async function eraseCustomers(
  deps: EraseCustomersDeps,
  storeId: string,
  { content }: WaitingMessage,
  keepLease: () => Promise<void>,
): Promise<void> {
  if (content.kind === "customer_erasure") {
    const { email, orderIds } = content;
    const emails = email === "" ? await buyersOf(deps, storeId, orderIds) : [email];
    for (const one of emails) await eraseOne(deps, storeId, one, keepLease);
    return;
  }
  if (content.kind !== "shop_erasure") return;
  // The app may have been installed again since.
  if (!isClosed(await deps.storefronts.find(storeId))) return;
  for (;;) {
    const email = await findCustomer(deps, storeId);
    if (email === undefined) return;
    await eraseOne(deps, storeId, email, keepLease);
  }
}

async function eraseOne(
  { persons, recordErasure }: EraseCustomersDeps,
  storeId: string,
  email: string,
  keepLease: () => Promise<void>,
): Promise<void> {
  if (!isEmailAddress(email) || isErased(email)) return;
  await recordErasure(storeId, storefrontActor);
  let position = "";
  do {
    const step = await erasePerson(persons, { storeId, email, isDryRun: false, position });
    position = step.nextPosition;
    await keepLease();
  } while (position !== "");
}

/** Returns the e-mail addresses of the persons to whom the certificates of orders were issued. */
async function buyersOf({ orders }: EraseCustomersDeps, storeId: string, orderIds: readonly string[]) {
  const certificates = await orders.certificatesOf(storeId, orderIds);
  return new Set(certificates.map(({ originalBuyer }) => originalBuyer.email));
}

/** Returns the e-mail address of a customer who is not erased yet; undefined if all are. */
async function findCustomer({ persons }: EraseCustomersDeps, storeId: string): Promise<string | undefined> {
  let position: string | undefined;
  do {
    const { items, next } = await persons.data.scanCertificates(storeId, position);
    const emails = items.flatMap(({ owner, originalBuyer }) => [owner.email, originalBuyer.email]);
    const found = emails.find((email) => isEmailAddress(email) && !isErased(email));
    if (found !== undefined) return found;
    position = next;
  } while (position !== undefined);
  return undefined;
}

function isErased(email: string): boolean {
  return emailKey(email) === emailKey(erasedPerson.email);
}
