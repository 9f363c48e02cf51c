import { defineCommand } from "../../command/command.ts";

export const settingsSignOut = defineCommand({
  name: "settings sign-out",
  changes: "store",
  description: "end all sessions in the store's settings, and revoke unused sign-in links",
  async run({ selectStore, output }) {
    const { stores } = await selectStore();
    const { revokedCount } = await stores.revokeSessions({});
    output.result({ revokedCount }, `${revokedCount} ${revokedCount === 1 ? "session" : "sessions"} ended`);
  },
});
