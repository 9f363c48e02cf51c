import {
  type ErasureStep,
  eraseUntilNothingIsFound,
  erasureStart,
} from "#shared/erasure/erase-until-nothing-is-found.ts";
import { type ErasePersonDeps, eraseEveryone, erasePerson } from "../persons/erase-person.ts";
import { findCustomer } from "./find-customer.ts";
import type { CustomerReference } from "./message.ts";
import { eraseBuyer, isBuyerErased } from "./order-record.ts";
import { storefrontActor } from "./reconcile-order.ts";
import {
  type Erasing,
  isClosed,
  type StorefrontInbox,
  type StorefrontOrders,
  type Storefronts,
  type WaitingMessage,
} from "./storefront-storage.ts";

export interface EraseCustomersDeps {
  readonly persons: ErasePersonDeps;
  readonly inbox: Pick<StorefrontInbox, "beginErasing" | "noteErasing">;
  readonly storefronts: Pick<Storefronts, "find">;
  readonly orders: Pick<StorefrontOrders, "ofCustomer" | "buyersOf" | "read" | "write">;
  /** Records the start of an erasure in the store's history. */
  readonly recordErasure: (storeId: string, actor: string) => Promise<void>;
}

/**
 * The result of {@link eraseCustomers}. `unfinished`: the erasure was interrupted, and can continue at once. `waiting`:
 * messages about the persons are being sent to receivers whose replies may mention the persons, or imports are running,
 * so the erasure must be repeated once these have ended.
 */
type ErasureResult = "done" | "unfinished" | "waiting";

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
  const erasing = await begin(
    deps,
    storeId,
    message,
    async () => (await findCustomer(orders, storeId, customer)).emails,
  );
  if (erasing === undefined) return "done";
  const { emails, since: importsBefore } = erasing;
  const parts: readonly Part[] = [
    ...emails.map(
      (email): Part =>
        (where) =>
          erasePerson(persons, { storeId, email, importsBefore, ...where }),
    ),
    ({ isDryRun }) => eraseBuyers(orders, storeId, customer, isDryRun),
  ];
  return eraseParts(deps, storeId, message, { erasing, parts, ending });
}

/** A step of one part of an erasure, such as the erasure of one address. */
type Part = (where: { readonly position: string; readonly isDryRun: boolean }) => Promise<ErasureStep>;

/** Erases the parts one after another, until a search finds nothing in any of them or the turn ends. */
async function eraseParts(
  { inbox }: EraseCustomersDeps,
  storeId: string,
  { id }: WaitingMessage,
  {
    erasing,
    parts,
    ending,
  }: { readonly erasing: Erasing; readonly parts: readonly Part[]; readonly ending: AbortSignal },
): Promise<ErasureResult> {
  let isWaiting = false;
  const progress = await eraseUntilNothingIsFound({
    from: erasing.progress,
    step: async ({ isSearch: isDryRun, position: from }) => {
      // The position is the index of the part, a colon, and the part's own position.
      const [index = "0"] = from.split(":");
      const part = parts[Number(index)];
      if (part === undefined) return { count: 0, waitingCount: 0, nextPosition: "" };
      const { nextPosition, ...step } = await part({ position: from.slice(index.length + 1), isDryRun });
      // Noted in every step, because a search does not find out which of the events that it counts are in flight.
      isWaiting ||= step.waitingCount > 0;
      const isLast = nextPosition === "" && Number(index) + 1 >= parts.length;
      const next = nextPosition === "" ? `${Number(index) + 1}:` : `${index}:${nextPosition}`;
      return { ...step, nextPosition: isLast ? "" : next };
    },
    beforeRepeating: async () => !isWaiting,
    shouldEnd: () => ending.aborted,
  });
  if (progress === undefined) return "done";
  await inbox.noteErasing(storeId, id, { ...erasing, progress });
  return isWaiting && progress === erasureStart ? "waiting" : "unfinished";
}

/**
 * Records the start of an erasure in the store's history, and adds the addresses to be erased to the stored message.
 * Does nothing when the erasure continues.
 *
 * @returns undefined if another replica has completed the erasure
 */
async function begin(
  { inbox, recordErasure }: EraseCustomersDeps,
  storeId: string,
  { id, erasing }: WaitingMessage,
  findEmails: () => Promise<readonly string[]>,
): Promise<Erasing | undefined> {
  if (erasing !== undefined) return erasing;
  const emails = await findEmails();
  await recordErasure(storeId, storefrontActor);
  return inbox.beginErasing(storeId, id, emails);
}

/**
 * Erases the remaining buyer data in the customer's orders: a buyer without an e-mail address appears only there. Also
 * marks the orders that are not stored, because the platform may still report them.
 */
async function eraseBuyers(
  orders: EraseCustomersDeps["orders"],
  storeId: string,
  customer: CustomerReference,
  isDryRun: boolean,
): Promise<ErasureStep> {
  const found = await orders.ofCustomer(storeId, customer);
  const all = await orders.read(storeId, [...new Set([...customer.orderIds, ...found.keys()])]);
  const erased = [...all].flatMap(([orderId, { record, version }]) =>
    isBuyerErased(record) ? [] : [[orderId, { record: eraseBuyer(record), version }] as const],
  );
  // A record that has changed meanwhile is found by the search that follows.
  if (!isDryRun) await orders.write(storeId, new Map(erased));
  return { count: erased.length, waitingCount: 0, nextPosition: "" };
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
  const erasing = await begin(deps, storeId, message, async () => []);
  if (erasing === undefined) return "done";
  const everyone: Part = async (where) =>
    (await isStillClosed())
      ? eraseEveryone(persons, { storeId, importsBefore: erasing.since, ...where })
      : { count: 0, waitingCount: 0, nextPosition: "" };
  return eraseParts(deps, storeId, message, { erasing, parts: [everyone], ending });
}
