import { defineCommand } from "../../command/command.ts";
import { timestampText } from "../../timestamp.ts";

export const webhookToken = defineCommand({
  name: "webhook token",
  changes: "store",
  description: "create a listen token, with which a developer receives copies of the store's messages for a day",
  async run({ selectStore, output }) {
    const { stores } = await selectStore();
    const { token, signingSecret, ...created } = await stores.createListenToken({});
    const expiresAt = timestampText(created.expiresAt);
    output.note(`messages will be signed with ${signingSecret}`);
    output.note(`the token expires at ${expiresAt}, is shown only once, and can be revoked in the settings:`);
    output.result({ token, signingSecret, expiresAt }, token);
  },
});
