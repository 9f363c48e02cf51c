import { defineCommand } from "./command.ts";
import { print, printError } from "./print.ts";

/** `certctl secrets reseal` */
export const secretsReseal = defineCommand({
  name: "secrets reseal",
  changes: "registry",
  description: "encrypt all signing secrets with the newest key, so that you can remove older keys",
  async run({ client }) {
    let resealed = 0;
    const unreadable: string[] = [];
    for (let afterStoreId = ""; ; ) {
      const page = await client.stores.resealSecrets({ afterStoreId });
      if (page.lastStoreId === "") break;
      resealed += page.resealedCount;
      unreadable.push(...page.unreadableStoreIds);
      afterStoreId = page.lastStoreId;
    }
    print(`stores with resealed secrets: ${resealed}`);
    if (unreadable.length === 0) return print("all secrets are sealed with the newest key; you can remove older keys");
    for (const storeId of unreadable)
      printError(
        `${storeId}: a secret cannot be decrypted; mount the key that sealed it, or set a new secret with ` +
          `certctl --store ${storeId} webhook set <url> --create-secret`,
      );
    process.exitCode = 1;
  },
});
