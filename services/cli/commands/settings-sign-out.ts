import { defineCommand } from "./command.ts";

/** `certctl settings sign-out` */
export const settingsSignOut = defineCommand({
  name: "settings sign-out",
  changes: "store",
  description: "end all sessions in the store's settings, and revoke unused sign-in links",
  async run({ client, storeId, output }) {
    const { revokedCount } = await client.stores.revokeSessions({ storeId: await storeId() });
    output.result({ revokedCount }, `${revokedCount} ${revokedCount === 1 ? "session" : "sessions"} ended`);
  },
});
