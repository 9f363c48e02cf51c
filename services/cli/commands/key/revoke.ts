import { defineCommand } from "../../command/command.ts";
import { withYes, type YesOption } from "../../command/common-options.ts";
import { findApiKey } from "./find-api-key.ts";
import { apiKeyDocument, apiKeyLine } from "./format.ts";

export const keyRevoke = defineCommand<YesOption>({
  name: "key revoke",
  changes: "store",
  description: "revoke an API key",
  configure: (command) => withYes(command.argument("<key-id>", "id shown by 'certctl key list'")),
  async run({ selectStore, output, options: { yes }, args: [keyId = ""] }) {
    const store = await selectStore();
    const key = await findApiKey(store, keyId);
    if (!yes) return output.preview(`revoke ${apiKeyLine(key)}`, { key: apiKeyDocument(key) });
    await store.stores.revokeApiKey({ keyId });
    output.result({ keyId, isRevoked: true }, `${keyId} is revoked`);
  },
});
