import { apiKeyLine, findApiKey } from "../registry-client/find-api-key.ts";
import { defineCommand } from "./command.ts";
import { withYes, type YesOption } from "./common-options.ts";
import { print } from "./print.ts";

/** `certctl key revoke <key-id>` */
export const keyRevoke = defineCommand<YesOption>({
  name: "key revoke",
  changes: "store",
  description: "revoke an API key",
  configure: (command) => withYes(command.argument("<key-id>", "id from certctl key list")),
  async run({ client, storeId, options: { yes }, args: [keyId = ""] }) {
    const id = await storeId();
    const key = await findApiKey(client, id, keyId);
    if (!yes) return print(`would revoke ${apiKeyLine(key)}; rerun with --yes to apply`);
    await client.stores.revokeApiKey({ storeId: id, keyId });
    print(`${keyId} is revoked`);
  },
});
