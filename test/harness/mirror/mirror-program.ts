/** A program that mirrors a store: receives the store's webhook messages over HTTPS, and catches up from the list. */
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import { z } from "zod";
import { nodeHandler, RegistryClient, RegistryError, saveMessage, sync } from "../../../services/client/index.ts";
import { openStore } from "./open-store.ts";

const variables = z
  .object({
    MIRROR_KIND: z.enum(["SQLite", "PostgreSQL"]),
    MIRROR_LOCATION: z.string(),
    MIRROR_PORT: z.coerce.number(),
    MIRROR_CERT_FILE: z.string(),
    MIRROR_KEY_FILE: z.string(),
    /** File to which the mirror appends `s` for each `sync` call that read changes, and `m` for each saved message. */
    MIRROR_COUNT_FILE: z.string(),
    MIRROR_SECRET: z.string(),
    /** Whether the mirror ignores the feed's epoch, so that it does not notice a restore. */
    MIRROR_IGNORES_EPOCH: z.stringbool().default(false),
    REGISTRY_URL: z.url(),
    REGISTRY_API_KEY: z.string(),
  })
  .parse(process.env);

// Longer than the delivery of a message takes, so that many changes arrive as messages before `sync` reads them.
const syncEveryMs = 1_500;
const { store } = await openStore(variables.MIRROR_KIND, variables.MIRROR_LOCATION);
const count = (event: "m" | "s") => appendFileSync(variables.MIRROR_COUNT_FILE, event);
const handler = nodeHandler({
  secret: variables.MIRROR_SECRET,
  onMessage: async (message) => {
    if (await saveMessage(store, message)) count("m");
  },
});
const tls = { cert: readFileSync(variables.MIRROR_CERT_FILE), key: readFileSync(variables.MIRROR_KEY_FILE) };
createServer(tls, handler).listen(variables.MIRROR_PORT, "127.0.0.1");

const { REGISTRY_URL: baseUrl, REGISTRY_API_KEY: apiKey } = variables;
const registry = new RegistryClient({ baseUrl, apiKey, timeoutMs: 5_000, maxWaitMs: 5_000 });
const withoutEpoch: Pick<RegistryClient, "getPage"> = {
  getPage: async (query, options) => ({ ...(await registry.getPage(query, options)), epoch: null }),
};
const client = variables.MIRROR_IGNORES_EPOCH ? withoutEpoch : registry;
for (;;) {
  try {
    const { read } = await sync(client, store);
    if (read > 0) count("s");
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, syncEveryMs));
}
