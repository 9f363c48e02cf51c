import { InvalidArgumentError } from "commander";
import { graceDaysMax } from "#shared/keys/api-key.ts";
import { defineCommand } from "../../command/command.ts";
import { withYes, type YesOption } from "../../command/common-options.ts";
import { parseDuration } from "../../command/option-values.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";
import { findApiKey } from "./find-api-key.ts";
import { apiKeyDocument, apiKeyLine } from "./format.ts";

interface RollOptions extends YesOption {
  /** How long the old key remains valid, in seconds. */
  readonly grace: number;
  readonly label?: string;
}

export const keyRoll = defineCommand<RollOptions>({
  name: "key roll",
  changes: "store",
  description: "replace an API key with a new one, shown once",
  configure: (command) =>
    withYes(
      command
        .argument("<key-id>", "id shown by 'certctl key list'")
        .requiredOption(
          "--grace <duration>",
          `how long the old key remains valid, such as 0, 90m or 24h; at most ${graceDaysMax}d`,
          parseGracePeriod,
        )
        .option("--label <text>", "purpose of the new key; default: the old key's label"),
    ),
  async run({ selectStore, output, options: { grace, label = "", yes }, args: [keyId = ""] }) {
    const store = await selectStore();
    const old = await findApiKey(store, keyId);
    if (!yes) {
      const end = grace === 0 ? "immediately" : `after ${grace} s`;
      return output.preview(`replace ${apiKeyLine(old)}; the old key would stop working ${end}`, {
        key: apiKeyDocument(old),
      });
    }
    const request = { keyId, gracePeriod: { seconds: BigInt(grace) }, label };
    const { oldKeyValidUntil, keyId: newKeyId, apiKey } = await store.stores.rollApiKey(request);
    const state =
      oldKeyValidUntil === undefined ? "is no longer valid" : `works until ${timestampText(oldKeyValidUntil)}`;
    output.note(`${keyId} ${state}`);
    output.note(`key id ${newKeyId}; the key is shown only once:`);
    const until = timeOrNull(oldKeyValidUntil);
    output.result({ oldKeyId: keyId, oldKeyValidUntil: until, keyId: newKeyId, apiKey }, apiKey);
  },
});

function parseGracePeriod(text: string): number {
  const seconds = parseDuration(text);
  if (seconds > graceDaysMax * 86_400) throw new InvalidArgumentError(`Give at most ${graceDaysMax}d.`);
  return seconds;
}
