import { findApiKey } from "../registry-client/find-api-key.ts";
import { apiKeyDocument, apiKeyLine } from "./api-key-format.ts";
import { defineCommand } from "./command.ts";
import { withYes, type YesOption } from "./common-options.ts";

/** `certctl key revoke <key-id>` */
export const keyRevoke = defineCommand<YesOption>({
  name: "key revoke",
  changes: "store",
  description: "revoke an API key",
  configure: (command) => withYes(command.argument("<key-id>", "id shown by 'certctl key list'")),
  async run({ client, storeId, output, options: { yes }, args: [keyId = ""] }) {
    const id = await storeId();
    const key = await findApiKey(client, id, keyId);
    if (!yes) return output.preview(`revoke ${apiKeyLine(key)}`, { key: apiKeyDocument(key) });
    await client.stores.revokeApiKey({ storeId: id, keyId });
    output.result({ keyId, isRevoked: true }, `${keyId} is revoked`);
  },
});
