/**
 * `npm start`: the whole registry on this machine, with a demo store. Everything is a process of its own; data persists
 * in a git-ignored folder.
 */
import path from "node:path";
import { SetupError } from "./servers/setup-error.ts";
import { announcement } from "./stack/announcement.ts";
import {
  type DataFolder,
  type DemoFacts,
  type EarlierFacts,
  openDataFolder,
  readDemoFacts,
  writeDemoFacts,
} from "./stack/data-folder.ts";
import { createDemoStore, demoShop, importDemoOrders, setDemoWebhook } from "./stack/demo-store.ts";
import { fetchPage } from "./stack/fetch-page.ts";
import { followFile } from "./stack/follow-file.ts";
import { ensureSecrets } from "./stack/local-secrets.ts";
import { requireFreePort } from "./stack/open-ports.ts";
import { type RunningStack, runStack } from "./stack/run-stack.ts";
import { parseStartOptions, type StartOptions, usage } from "./stack/start-options.ts";
import { trustAlso } from "./stack/trusted-authorities.ts";
import { waitForReceiver } from "./stack/wait-for-receiver.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) return print(usage);
  const stopping = stopSignal();
  await requireFreePort("the public API", options.edgePort, "--port");
  await requireFreePort("the registry's gRPC", options.registryPort, "--registry-port");
  await requireFreePort("the demo receiver", options.receiverPort, "--receiver-port");
  const folder = await openDataFolder(options.dataFolder, options.reset);
  const earlier = readDemoFacts(folder);
  const secrets = await ensureSecrets(folder.secrets);
  const authoritiesFile = await trustAlso(secrets.caFile, process.env.NOTIFIER_EXTRA_CA_FILE);
  const stack = await runStack({
    options,
    folder,
    secrets,
    authoritiesFile,
    databaseServer: earlier?.database_server,
    log: print,
    signal: stopping,
  });
  try {
    const facts = await ensureDemo(stack, options, earlier, secrets.receiver.secret, folder);
    if (earlier === undefined) {
      const count = await waitForReceiver(path.join(folder.logs, "received.jsonl"), stopping);
      print(`The receiver got ${count} webhook messages and verified their signatures.`);
    }
    const page = await fetchPage(facts.base_url, facts.api_key, "limit=2");
    print(announcement(facts, page.next_cursor, new Date()));
    await followFile(path.join(folder.logs, "receiver.log"), print, stopping);
  } finally {
    print("Stopping …");
    await stack.stop();
    print("Stopped.");
  }
}

/** Sets the demo store up on the first start, and imports its orders; on later ones only addresses may be new. */
async function ensureDemo(
  stack: RunningStack,
  options: StartOptions,
  earlier: EarlierFacts | undefined,
  secretFile: string,
  folder: DataFolder,
): Promise<DemoFacts> {
  const { registryAddress, receiverUrl, operationsUrls } = stack;
  const apiKey = earlier?.api_key ?? (await createDemoStore(registryAddress));
  if (earlier?.receiver_url !== receiverUrl) await setDemoWebhook(registryAddress, receiverUrl, secretFile);
  await stack.startReceiver();
  if (earlier === undefined) {
    print("Importing the demo's order export …");
    await importDemoOrders(registryAddress);
  }
  const facts: DemoFacts = {
    base_url: `http://127.0.0.1:${options.edgePort}`,
    api_key: apiKey,
    registry_address: registryAddress,
    database_server: stack.databaseServer,
    shop: demoShop,
    receiver_url: receiverUrl,
    registry_operations_url: operationsUrls.registry,
    edge_operations_url: operationsUrls.edge,
    notifier_operations_url: operationsUrls.notifier,
    log_folder: folder.logs,
  };
  writeDemoFacts(folder, facts);
  return facts;
}

/** Aborts with Ctrl-C or SIGTERM; a second signal ends the process at once. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(1);
      stopping.abort();
    });
  }
  return stopping.signal;
}

try {
  await main();
} catch (error) {
  if (error instanceof Error && error.name === "AbortError") process.exit(130);
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`\n${error.message}\n`);
  process.exit(1);
}
