import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { apiKeyLine, findApiKey } from "../registry-client/find-api-key.ts";
import { print, printError, runs } from "./command.ts";
import { parseDuration } from "./duration.ts";

interface RollOptions {
  /** Seconds. */
  readonly grace: number;
  readonly label: string;
  readonly yes: boolean;
}

/** `certctl key roll <key-id> --grace <time>` */
export function addKeyRoll(parent: Command): void {
  const command = parent
    .command("roll")
    .description("replace an API key by a new one, which is shown once; without --yes it only shows which")
    .argument("<key-id>", "as certctl key list shows it")
    .requiredOption(
      "--grace <time>",
      "how long the old key still works: 0, 90m, 24h, up to 30d",
      parseDuration,
    )
    .option("--label <text>", "what the new key is for; default: what the old one is for", "")
    .option("--yes", "really replace it", false);
  runs<RollOptions>(command, async (client, { store, grace, label, yes }, [keyId = ""]) => {
    const storeId = await chooseStore(client, store);
    const old = await findApiKey(client, storeId, keyId);
    if (!yes) {
      const end = grace === 0 ? "at once" : `${grace} s later`;
      return print(`would replace ${apiKeyLine(old)}; it stops working ${end}; add --yes to do it`);
    }
    const gracePeriod = { seconds: BigInt(grace) };
    const rolled = await client.stores.rollApiKey({ storeId, keyId, gracePeriod, label });
    const until = rolled.oldKeyValidUntil && timestampDate(rolled.oldKeyValidUntil).toISOString();
    printError(`${keyId} ${until === undefined ? "has stopped working" : `works until ${until}`}`);
    printError(`key id ${rolled.keyId}; the key is shown only now:`);
    print(rolled.apiKey);
  });
}
