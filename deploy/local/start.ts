/**
 * `npm start`: runs the whole registry on this machine with a demo store. Each part is a separate process. A folder, by
 * default the git-ignored `.data`, keeps the data between starts.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { requireFreePort } from "./servers/free-port.ts";
import { SetupError } from "./servers/setup-error.ts";
import { type CertctlProcesses, startCertctlProcesses } from "./stack/certctl-processes.ts";
import {
  type DataFolder,
  type DemoFacts,
  keepNewFilesPrivate,
  openDataFolder,
  type PreviousFacts,
  readPreviousFacts,
  writeDemoFacts,
} from "./stack/data-folder.ts";
import {
  createDemoStore,
  createSettingsLink,
  demoStoreId,
  findVerifyUrl,
  importDemoOrders,
  setDemoRules,
  setDemoWebhook,
} from "./stack/demo-store.ts";
import { exitOnSignals } from "./stack/exit-on-signals.ts";
import { followFile } from "./stack/follow-file.ts";
import { ensureSecrets, type LocalSecrets } from "./stack/local-secrets.ts";
import { type RunningStack, runStack } from "./stack/run-stack.ts";
import { parseStartOptions, usage } from "./stack/start-options.ts";
import { startupSummary } from "./stack/startup-summary.ts";
import { combineAuthorities } from "./stack/trusted-authorities.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);
const requirePort = (purpose: string, port: number, option: string) =>
  requireFreePort(port, `Port ${port} (${purpose})`, `choose another port: npm start -- ${option} <port>`);

async function main(): Promise<void> {
  const options = parseStartOptions(process.argv.slice(2));
  if (options === undefined) return print(usage);
  const stopping = exitOnSignals();
  keepNewFilesPrivate();
  const certctl = startCertctlProcesses();
  await requirePort("public API", options.edgePort, "--port");
  await requirePort("the registry's gRPC API", options.registryPort, "--registry-port");
  await requirePort("demo receiver", options.receiverPort, "--receiver-port");
  await requirePort("demo shop", options.shopPort, "--shop-port");
  const folder = await openDataFolder(options.dataFolder, options.reset);
  const previous = readPreviousFacts(folder);
  const own = await ensureSecrets(folder.secrets);
  const secrets = { ...own, caFile: await combineAuthorities(own.caFile, process.env.NOTIFIER_EXTRA_CA_FILE) };
  const stack = await runStack({
    options,
    folder,
    secrets,
    previousDatabaseServer: previous?.database_server,
    log: print,
    signal: stopping,
  });
  try {
    const { facts, issued } = await ensureDemo(stack, previous, secrets, folder, certctl);
    if (issued > 0) {
      const count = await waitForDeliveries(path.join(folder.logs, "received.jsonl"), issued, stopping);
      print(`${count} webhook messages arrived at the demo receiver, which verified their signatures.`);
    }
    const { registryAddress } = stack;
    const registry = { registryAddress, operator: secrets.grpc.operator, certctl };
    const startingShop = stack.startDemoShop();
    startingShop.catch(() => undefined);
    const verifyUrl = await findVerifyUrl(registry);
    const link = await createSettingsLink(registry);
    certctl.close();
    await startingShop;
    print(startupSummary(facts, verifyUrl, link));
    await followFile(path.join(folder.logs, "receiver.log"), print, stopping);
  } catch (error) {
    // Ctrl-C also ends certctl's processes, whose commands then fail.
    stopping.throwIfAborted();
    throw error;
  } finally {
    print("Stopping …");
    await stack.stop();
    print("Stopped.");
  }
}

/**
 * Starts the demo receiver. On the first start, also creates the demo store and imports its orders; later starts reuse
 * the store, and replace its webhook when the receiver's address has changed.
 *
 * @returns the addresses, credentials and folders of the demo, which are also written to `demo.json`, and the number of
 *   certificates issued by the import
 */
async function ensureDemo(
  stack: RunningStack,
  previous: PreviousFacts | undefined,
  { receiver, platformSecretFile, grpc: { operator } }: LocalSecrets,
  folder: DataFolder,
  certctl: CertctlProcesses,
) {
  const { registryAddress, receiverUrl, demoShopUrl, operationsUrls } = stack;
  const registry = { registryAddress, operator, certctl };
  const apiKey = previous?.api_key ?? (await createDemoStore(registry));
  if (previous === undefined) await setDemoRules(registry);
  if (previous?.receiver_url !== receiverUrl) await setDemoWebhook(registry, receiverUrl, receiver.secret);
  await stack.startReceiver();
  let issued = 0;
  if (previous === undefined) {
    print("Importing the demo order export …");
    const imported = await importDemoOrders(registry, path.join(folder.logs, "orders-refused.csv"));
    print(imported.result);
    issued = imported.issued;
  }
  const facts: DemoFacts = {
    base_url: stack.baseUrl,
    api_key: apiKey,
    registry_address: registryAddress,
    operator_tls: { cert_file: operator.cert, key_file: operator.key, ca_file: operator.ca },
    database_server: stack.databaseServer,
    shop: demoStoreId,
    storefront: {
      webhook_url: `${stack.baseUrl}/storefront/shopify/webhooks`,
      secret_file: platformSecretFile,
      shop: demoStoreId,
    },
    receiver_url: receiverUrl,
    demo_shop_url: demoShopUrl,
    registry_operations_url: operationsUrls.registry,
    edge_operations_url: operationsUrls.edge,
    notifier_operations_url: operationsUrls.notifier,
    log_folder: folder.logs,
  };
  writeDemoFacts(folder, facts);
  return { facts, issued };
}

const arriveWithinMs = 60_000;

/**
 * Waits, for at most one minute, until the receiver has logged this many verified messages.
 *
 * @param logFile contains one line for each verified message
 * @returns the number of lines in the file
 */
async function waitForDeliveries(logFile: string, expected: number, signal: AbortSignal): Promise<number> {
  const deadline = Date.now() + arriveWithinMs;
  for (;;) {
    const text = await readFile(logFile, "utf8").catch(() => "");
    const count = text.split("\n").length - 1;
    if (count >= expected || Date.now() >= deadline) return count;
    await delay(100, undefined, { signal });
  }
}

try {
  await main();
} catch (error) {
  if (error instanceof Error && error.name === "AbortError") process.exit(130);
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`\n${error.message}\n`);
  process.exit(1);
}
