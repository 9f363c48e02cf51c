import type { Logger } from "#shared/observe/logger.ts";
import type { RecordedStoreChange } from "../stores/store-history.ts";

/** Returns a callback that logs an administrative change of a store, which is also in the store's history. */
export function auditLog(logger: Logger): (change: RecordedStoreChange) => void {
  return ({ id, storeId, action, actor, details }) => {
    logger.info({ action, actor, store: storeId, entry: id, details }, "administration");
  };
}
