import { type ErasePersonDeps, type ErasePersonStep, eraseEveryone, erasePerson } from "../persons/erase-person.ts";
import { isClosed } from "./close-store.ts";
import { findCustomer } from "./find-customer.ts";
import type { CustomerReference } from "./message.ts";
import { eraseBuyer, isBuyerErased } from "./order-record.ts";
import { storefrontActor } from "./reconcile-order.ts";
import type { StorefrontInbox, StorefrontOrders, Storefronts, WaitingMessage } from "./storefront-storage.ts";

/** Dependencies of {@link eraseCustomers}. */
export interface EraseCustomersDeps {
  readonly persons: ErasePersonDeps;
  readonly inbox: Pick<StorefrontInbox, "noteErasing">;
  readonly storefronts: Pick<Storefronts, "find">;
  readonly orders: Pick<StorefrontOrders, "ofCustomer" | "certificatesOf" | "read" | "write">;
  /** Records the start of an erasure in the store's history. */
  readonly recordErasure: (storeId: string, actor: string) => Promise<void>;
}

/**
 * The result of {@link eraseCustomers}. `unfinished`: the erasure was interrupted, or an order changed meanwhile; the
 * erasure can be repeated at once. `waiting`: messages about the persons are being sent to receivers whose replies may
 * mention the persons, so the erasure must be repeated once these messages are settled.
 */
export type ErasureResult = "done" | "unfinished" | "waiting";

/**
 * Performs the erasure that a message requests: of one customer, or of all customers of a store that no longer uses the
 * app. A request for data needs no work.
 *
 * @param ending ends the erasure between two steps; the erasure can then be repeated
 * @throws ServiceError `unavailable` while the database or NATS is unavailable: the erasure can then be repeated; Error
 *   for a message of another kind
 */
export async function eraseCustomers(
  deps: EraseCustomersDeps,
  storeId: string,
  message: WaitingMessage,
  ending: AbortSignal,
): Promise<ErasureResult> {
  const { content } = message;
  switch (content.kind) {
    case "customer_erasure":
      return eraseCustomer(deps, storeId, message, content, ending);
    case "shop_erasure":
      return eraseShop(deps, storeId, message, ending);
    case "customer_data_request":
      // `dataReport` makes the report on the customer's data when the merchant requests it.
      return "done";
    default:
      // Another version of the registry may have stored the message. The error marks it as failed, so that it is not
      // lost.
      throw new Error(`this version cannot process messages of the kind ${content.kind}`);
  }
}

async function eraseCustomer(
  deps: EraseCustomersDeps,
  storeId: string,
  message: WaitingMessage,
  customer: CustomerReference,
  ending: AbortSignal,
): Promise<ErasureResult> {
  const { persons, orders } = deps;
  const emails = message.erasing ?? (await findCustomer(orders, storeId, customer)).emails;
  await begin(deps, storeId, message, emails);
  let isWaiting = false;
  for (const email of emails) {
    const request = { storeId, email, isDryRun: false, importsBefore: importsBefore(message) };
    const step = (position: string) => erasePerson(persons, { ...request, position });
    const result = await allSteps(step, ending);
    if (result === "unfinished") return result;
    isWaiting ||= result === "waiting";
  }
  const result = await eraseBuyers(orders, storeId, customer);
  return result === "done" && isWaiting ? "waiting" : result;
}

/**
 * Returns the time from which imports are kept; undefined if all are deleted. A repeated erasure keeps the imports that
 * the merchant has uploaded since the request.
 */
function importsBefore({ erasing, triggeredAtMs }: WaitingMessage): Date | undefined {
  return erasing === undefined ? undefined : new Date(triggeredAtMs);
}

/**
 * Records the start of an erasure in the store's history, and adds the addresses to be erased to the stored message.
 * Does nothing when the erasure is repeated.
 */
async function begin(
  { inbox, recordErasure }: EraseCustomersDeps,
  storeId: string,
  { id, erasing }: WaitingMessage,
  emails: readonly string[],
): Promise<void> {
  if (erasing !== undefined) return;
  await recordErasure(storeId, storefrontActor);
  await inbox.noteErasing(storeId, id, emails);
}

/**
 * Erases the remaining buyer data in the customer's orders: a buyer without an e-mail address appears only there. Also
 * marks the orders that are not stored, because the platform may still report them.
 */
async function eraseBuyers(
  orders: EraseCustomersDeps["orders"],
  storeId: string,
  customer: CustomerReference,
): Promise<ErasureResult> {
  const found = await orders.ofCustomer(storeId, customer);
  const all = await orders.read(storeId, [...new Set([...customer.orderIds, ...found.keys()])]);
  const erased = [...all].flatMap(([orderId, { record, version }]) =>
    isBuyerErased(record) ? [] : [[orderId, { record: eraseBuyer(record), version }] as const],
  );
  const conflicts = await orders.write(storeId, new Map(erased));
  return conflicts.size === 0 ? "done" : "unfinished";
}

async function eraseShop(
  deps: EraseCustomersDeps,
  storeId: string,
  message: WaitingMessage,
  ending: AbortSignal,
): Promise<ErasureResult> {
  const { persons, storefronts } = deps;
  // Checked before each step: if the app is installed again meanwhile, new customers' data must stay.
  const isStillClosed = async () => isClosed(await storefronts.find(storeId));
  if (!(await isStillClosed())) return "done";
  await begin(deps, storeId, message, []);
  const step = async (position: string) =>
    (await isStillClosed())
      ? eraseEveryone(persons, { storeId, position, importsBefore: importsBefore(message) })
      : { nextPosition: "", waitingCount: 0 };
  return allSteps(step, ending);
}

async function allSteps(
  step: (position: string) => Promise<Pick<ErasePersonStep, "nextPosition" | "waitingCount">>,
  ending: AbortSignal,
): Promise<ErasureResult> {
  let isWaiting = false;
  for (let position = ""; ; ) {
    const { nextPosition, waitingCount } = await step(position);
    isWaiting ||= waitingCount > 0;
    if (nextPosition === "") return isWaiting ? "waiting" : "done";
    if (ending.aborted) return "unfinished";
    position = nextPosition;
  }
}
