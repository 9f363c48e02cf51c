import type { Command } from "commander";
import { print, printError, runs } from "./command.ts";

/** `certctl secrets reseal` */
export function addSecretsReseal(parent: Command): void {
  const command = parent
    .command("reseal")
    .description(
      "encrypt every store's signing secrets with the newest key, so that older ones can be removed",
    );
  runs(command, async (client) => {
    let resealed = 0;
    const unreadable: string[] = [];
    for (let afterStoreId = ""; ; ) {
      const page = await client.stores.resealSecrets({ afterStoreId });
      if (page.lastStoreId === "") break;
      resealed += page.resealedCount;
      unreadable.push(...page.unreadableStoreIds);
      afterStoreId = page.lastStoreId;
    }
    print(`sealed anew: the secrets of ${resealed} stores`);
    if (unreadable.length === 0)
      return print("all are sealed with the newest key; older keys can be removed");
    for (const storeId of unreadable)
      printError(
        `${storeId}: a secret cannot be read; mount the key it was sealed with, or set a new secret`,
      );
    process.exitCode = 1;
  });
}
