import type { Logger } from "#shared/observe/logger.ts";
import type { RecordedStoreChange } from "../stores/store-history.ts";

/** Returns a callback that logs an administrative change to a store; the store's history contains the same change. */
export function auditLog(logger: Logger): (change: RecordedStoreChange) => void {
  return ({ id, storeId, action, actor, details }) => {
    logger.info({ action, actor, store: storeId, entry: id, details }, "administration");
  };
}
