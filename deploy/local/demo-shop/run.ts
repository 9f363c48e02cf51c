import { appendFile, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";
import { RegistryClient } from "../../../services/client/index.ts";
import { demoFacts } from "../stack/data-folder.ts";
import { followFile } from "../stack/follow-file.ts";
import type { DemoShopConfig } from "./config.ts";
import { EventStream } from "./http/event-stream.ts";
import { loadPageFiles } from "./http/page-files.ts";
import { startPictureServer } from "./http/picture-server.ts";
import { shopHandler } from "./http/shop-handler.ts";
import { Mirror } from "./integrator/mirror.ts";
import { receiveLine } from "./integrator/receive-line.ts";
import { OrderDesk } from "./shop/order-desk.ts";
import { deliver } from "./shop/platform.ts";
import { reportProducts } from "./shop/report-products.ts";
import { overdueJourneys, snapshotOf } from "./shop/snapshot.ts";

const facts = demoFacts.pick({ base_url: true, api_key: true, storefront: true });
const pollMs = 50;

/**
 * Starts the demo shop: the shop with its storefront platform, and an integrator's server with a mirror.
 *
 * @param print receives a line with the page's URL, a line for each message whose handling fails, and a line with the
 * number of products that could not be reported to the registry, if any
 * @throws Error when a file cannot be used or the server cannot listen
 */
export async function startDemoShop(config: DemoShopConfig, print: (line: string) => void) {
  const { base_url: baseUrl, api_key: apiKey, storefront } = facts.parse(JSON.parse(await readText(config.factsFile)));
  const secret = Buffer.from((await readText(storefront.secret_file)).trim());
  const { overdueMs } = config;
  const now = () => new Date();
  const announce = () => stream.announce();
  const target = { url: storefront.webhook_url, secret, shop: storefront.shop };
  const desk = new OrderDesk({ secret, now, onChange: announce, deliver: (message) => deliver(target, message) });
  const pictures = await startPictureServer(config.host, config);
  const unreportedCount = await reportProducts(target, now(), pictures.urlOf);
  if (unreportedCount > 0)
    print(
      `Products that could not be reported to the registry: ${unreportedCount}. Rules cannot use the tags of these products; restart the demo shop to retry.`,
    );
  const client = new RegistryClient({ baseUrl, apiKey });
  const mirror = new Mirror({ file: config.mirrorFile, client, now, onChange: announce });
  const stream = new EventStream(() => snapshotOf(desk.files, mirror, { now: now(), overdueMs }));
  // If no message arrives, the list shows whether the certificates exist, and the page what to check.
  const looking = setInterval(() => {
    const overdue = overdueJourneys(desk.files, mirror, { now: now(), overdueMs });
    if (overdue.length > 0) announce();
    if (!mirror.state.isPaused && overdue.some(({ registryMs }) => registryMs === null)) void mirror.catchUp();
  }, overdueMs);

  // Read for each message, so that a secret can be rotated without a restart.
  const readSecrets = async () => (await readText(config.signingSecretFile)).split(/\s+/).filter((text) => text !== "");
  const stopping = new AbortController();
  // Creates the file if no message has arrived yet.
  await appendFile(config.receivedFile, "");
  let receiving = Promise.resolve();
  const onLine = (line: string) => {
    // Handles the messages one after the other, in the order of arrival.
    receiving = receiving
      .then(async () => {
        const received = await receiveLine(line, { mirror, readSecrets, now });
        if (received !== undefined) desk.receive(received);
        announce();
      })
      // A failure, for example while the secret's file is being replaced, affects only this message.
      .catch((error: unknown) => print(`cannot handle a webhook message: ${String(error)}`));
  };
  const following = followFile(config.receivedFile, onLine, stopping.signal, pollMs);

  const files = loadPageFiles(`${baseUrl}/docs`);
  const server = createServer(shopHandler({ desk, mirror, stream, files }));
  const port = await listenHttp(server, config.host, config.port);
  print(`Demo shop at http://${config.host}:${port}/`);
  return {
    port,
    stop: async () => {
      clearInterval(looking);
      stopping.abort();
      await following;
      await receiving;
      stream.close();
      await Promise.all([closeHttp(server, 1_000), pictures.stop()]);
      await mirror.close();
    },
  };
}

function readText(file: string): Promise<string> {
  return readFile(file, "utf8");
}
