import { readFile } from "node:fs/promises";
import { defineCommand } from "../../command/command.ts";
import { givenPath } from "../../command/given-path.ts";
import { parseCount } from "../../command/option-values.ts";
import { UsageError } from "../../output/usage-error.ts";
import { projectFolder, readLocalFacts } from "../../registry-client/local-facts.ts";
import { readRecordedMessages } from "./recorded-messages.ts";
import { type ReplayTarget, sendUntilTaken } from "./send-message.ts";

interface ReplayOptions {
  readonly url?: string;
  readonly secretFile?: string;
  readonly shop?: string;
  readonly concurrency: number;
}

export const storefrontReplay = defineCommand<ReplayOptions>({
  name: "storefront replay",
  changes: "store",
  isOffline: true,
  description:
    "sign recorded messages from a storefront platform and send them to an edge, as the platform does; retry " +
    "messages that the edge cannot accept yet",
  configure: (command) =>
    command
      .argument("<file.jsonl>", "JSON lines: {topic, payload, shop?, webhook_id?, triggered_at?}")
      .option("--url <url>", "URL of the connector; default: the connector that npm start started")
      .option("--secret-file <file>", "file with the platform app's secret; default: the file that npm start uses")
      .option("--shop <domain>", "store for messages without a shop; default: the store that npm start created")
      .option("--concurrency <n>", "number of messages to send at a time", parseCount, 1),
  async run({ output, options, args: [file = ""] }) {
    const messages = readRecordedMessages(await readFile(givenPath(file), "utf8"));
    const target = await targetOf(options);
    const unaddressed = messages.find(({ shop }) => (shop ?? target.shop) === "");
    if (unaddressed !== undefined) throw new UsageError(`Line ${unaddressed.line} names no shop: give --shop.`);
    const shops = new Set(messages.map(({ shop }) => shop ?? target.shop));
    output.note(`target: ${shops.size === 1 ? `store ${[...shops].join()}` : `${shops.size} stores`}, ${target.url}`);
    const counts = new Map<number, number>();
    const queue = messages.values();
    const sendAll = async () => {
      for (const message of queue) {
        const status = await sendUntilTaken(target, message);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (status !== 200) output.note(`line ${message.line}, ${message.topic}: ${statusText(status)}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(options.concurrency, messages.length) }, sendAll));
    const accepted = counts.get(200) ?? 0;
    output.result(
      { sentCount: messages.length, acceptedCount: accepted },
      `${accepted} of ${messages.length} messages were accepted`,
    );
    if (accepted < messages.length) process.exitCode = 1;
  },
});

async function targetOf({ url, secretFile, shop }: ReplayOptions): Promise<ReplayTarget> {
  const isComplete = url !== undefined && secretFile !== undefined && shop !== undefined;
  const remedy = "give --url, --secret-file and --shop";
  const local = isComplete ? undefined : readLocalFacts(projectFolder, remedy)?.storefront;
  const missing = (option: string) => new UsageError(`Give ${option}, or run npm start first.`);
  const from = secretFile === undefined ? local?.secret_file : givenPath(secretFile);
  const to = url ?? local?.webhook_url;
  if (to === undefined) throw missing("--url");
  if (from === undefined) throw missing("--secret-file");
  const secret = Buffer.from((await readFile(from, "utf8")).trim());
  return { url: to, secret, shop: shop ?? local?.shop ?? "" };
}

function statusText(status: number): string {
  return status === 0 ? "no response" : `status ${status}`;
}
