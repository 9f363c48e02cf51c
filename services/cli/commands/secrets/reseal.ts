import { defineCommand } from "../../command/command.ts";

export const secretsReseal = defineCommand({
  name: "secrets reseal",
  changes: "registry",
  description: "re-encrypt all signing secrets with the newest key, so that you can remove the older keys",
  async run({ client, output }) {
    let resealed = 0;
    const unreadable: string[] = [];
    for (let afterStoreId = ""; ; ) {
      const page = await client.stores.resealSecrets({ afterStoreId });
      if (page.lastStoreId === "") break;
      resealed += page.resealedCount;
      unreadable.push(...page.unreadableStoreIds);
      afterStoreId = page.lastStoreId;
    }
    const lines = [`stores with resealed secrets: ${resealed}`];
    if (unreadable.length === 0)
      lines.push("all secrets are sealed with the newest key; you can remove the older keys");
    output.result({ resealedCount: resealed, unreadableStoreIds: unreadable }, ...lines);
    if (unreadable.length === 0) return;
    for (const storeId of unreadable)
      output.note(
        `${storeId}: a secret cannot be decrypted; mount the key that sealed this secret or, for a webhook's secret, ` +
          `create a new secret: certctl --store ${storeId} webhook set <url> --create-secret --yes`,
      );
    process.exitCode = 1;
  },
});
