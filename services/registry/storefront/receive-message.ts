import { ServiceError, unlessNotFound } from "#shared/errors/service-error.ts";
import type { KnownStores } from "../stores/known-stores.ts";
import type { MessageContent, StorefrontMessage } from "./message.ts";
import type { StorefrontInbox, Storefronts } from "./storefront-storage.ts";

/**
 * Once a store has this many failed messages, further messages that cannot be read are dropped: they would have no
 * effect, and the stored ones show the fault.
 */
export const failedMessagesMax = 1_000;

export interface ReceiveMessageDeps {
  readonly knownStores: KnownStores;
  readonly inbox: Pick<StorefrontInbox, "add" | "has">;
  /** Returns whether another message that cannot be read may be stored; see {@link failedMessagesMax}. */
  readonly hasRoomForFailed: (storeId: string) => Promise<boolean>;
  readonly storefronts: Pick<Storefronts, "noteInstalled" | "noteUninstalled">;
  /** Wakes the worker. Called after each message of a known store. */
  readonly onWaiting: () => void;
}

/**
 * How a message was received. `duplicate`: it was already stored. `no store`: no store has the domain, and the message
 * has no effect without a store. `dropped`: the message cannot be read, and the store has too many failed messages.
 */
type Received = "stored" | "duplicate" | "no store" | "dropped";

// There is nothing to close, report or erase for a store that does not exist.
const needsNoStore: readonly MessageContent["kind"][] = [
  "app_uninstalled",
  "customer_data_request",
  "customer_erasure",
  "shop_erasure",
];

/**
 * Stores a message, so that the caller can acknowledge it; the worker processes it later. Only the installation and the
 * removal of the app take effect here, before the message is stored, because a backlog must not delay them.
 *
 * @throws ServiceError `not_found` for a message that needs a store, if no store has the domain: the platform then
 *   repeats the message
 */
export async function receiveMessage(
  deps: ReceiveMessageDeps,
  shop: string,
  message: StorefrontMessage,
): Promise<Received> {
  const { inbox, storefronts } = deps;
  const { content } = message;
  const storeId = (await unlessNotFound(deps.knownStores.find({ shop })))?.id;
  if (storeId === undefined) {
    if (needsNoStore.includes(content.kind)) return "no store";
    throw new ServiceError("not_found", "No store has this domain.");
  }
  if (content.kind === "unreadable" && !(await deps.hasRoomForFailed(storeId))) return "dropped";
  const at = new Date(message.triggeredAtMs);
  const isOfApp = content.kind === "app_installed" || content.kind === "app_uninstalled";
  if (isOfApp && !(await inbox.has(storeId, message.id))) {
    if (content.kind === "app_installed") await storefronts.noteInstalled(storeId, at);
    else await storefronts.noteUninstalled(storeId, at);
  }
  const failure = content.kind === "unreadable" ? { failure: content.problem } : undefined;
  const isNew = await inbox.add(storeId, message, failure ?? (isOfApp ? "done" : "waiting"));
  deps.onWaiting();
  return isNew ? "stored" : "duplicate";
}
