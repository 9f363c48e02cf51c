import path from "node:path";
import { execa } from "execa";
import { z } from "zod";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { until } from "../../../deploy/local/servers/until.ts";
import { commandLine, decimal, flag, integer, stackOptions, text } from "../../../deploy/local/stack/command-line.ts";
import { acceptsConnections, projectFolder } from "../../../deploy/local/stack/service-process.ts";
import type { CertificateDocument } from "../../../services/registry/mongo/documents/documents.ts";
import { logToStderr, runProgram } from "../../harness/program/run-program.ts";
import type { Side, Turn } from "../alternate.ts";
import { type BenchStack, startBenchStack } from "../bench-stack.ts";
import { cpuOf, ratioOf } from "../compare.ts";
import { shortFigures } from "../dotted-figures.ts";
import { bareRequest, createListedStores, edgeRequest, type ListedStore } from "../parts/list-requests.ts";
import { bareSide, connections, edgeSide, httpSide, servicesCpu, startBare } from "../parts/list-sides.ts";
import { compareSides } from "../parts/part.ts";
import { withBaseline } from "../parts/stores.ts";
import { tableOf } from "../report.ts";
import { documentCount, findPeers, type Peer } from "./peers.ts";

const certificatesOfStore = 60;
const limit = 50;
const query = `limit=${limit}`;
const startedWithinMs = 60_000;

const schema = z.object({
  peers: text("folder", "folder that contains the folders of the peers, see test/bench/peers/README.md").default(""),
  seconds: decimal(0.1, 600, "length of a round").default(2),
  rounds: integer(1, 1_000, "rounds per side").default(5),
  stores: integer(1, 1_000, "stores over which requests are spread").default(50),
  json: flag("prints all figures as one JSON object in the last line of standard output"),
  ...stackOptions,
});

const command = commandLine("npm run bench:peers", schema);

/**
 * Compares pages of 50 certificates from this service with pages from a bare process and from each installed peer, in
 * alternating turns. The bare process and the peers serve copies of the certificates from the same database server.
 */
export const runPeers = () =>
  runProgram(command, async (options, signal) => {
    const { installed, missing } = findPeers(path.resolve(options.peers));
    for (const { peer, reason } of missing) logToStderr(`${peer.name}: not measured, because ${reason}.`);
    logToStderr("RESTHeart: not measured; see test/bench/peers/README.md.");
    const stack = await startBenchStack(options, signal, logToStderr);
    try {
      const stores = await createListedStores(stack, options.stores, certificatesOfStore);
      await stack.deliveries.pause();
      await copyForOthers(stack);
      const bare = await startBare(stack, { uri: stack.baselineUri });
      const ours = stores.map(({ apiKey }) => edgeRequest(apiKey, query));
      const plain = stores.map(({ storeId }) => bareRequest(storeId, query));
      const sides = [await edgeSide(stack, "service", ours), await bareSide(stack, bare, plain)];
      for (const peer of installed) {
        const side = await peerSide(stack, peer, path.resolve(options.peers), stores).catch((error: Error) => {
          logToStderr(`${peer.name}: not measured: ${error.message}`);
        });
        if (side) sides.push(side);
      }
      const length = { rounds: options.rounds, roundMs: options.seconds * 1_000 };
      const title = `pages of ${limit} over ${connections} connections`;
      const findings = { page_50: await compareSides(title, sides, length, signal, cpuRatios) };
      tableOf(findings).forEach(logToStderr);
      if (options.json) process.stdout.write(`${JSON.stringify(shortFigures({ peers: findings }))}\n`);
      return 0;
    } finally {
      await stack.close();
    }
  });

/** Copies the certificates for the bare process and the peers, without the JSON that only the registry uses. */
async function copyForOthers(stack: BenchStack): Promise<void> {
  const originals = stack.collections.certificates.find().project<CertificateDocument>({ json: 0 });
  await withBaseline(stack, async ({ certificates }) => certificates.insertMany(await originals.toArray()));
}

/** @throws Error when the peer does not start or does not return a full page */
async function peerSide(stack: BenchStack, peer: Peer, folder: string, stores: readonly ListedStore[]): Promise<Side> {
  const port = await freePort();
  const env = {
    PEER_FOLDER: path.join(folder, peer.name),
    PEER_DATABASE_URI: stack.baselineUri,
    PEER_PORT: String(port),
    PEER_CONNECTIONS: String(connections),
  };
  const child = execa(process.execPath, [`test/bench/peers/servers/${peer.script}`], {
    cwd: projectFolder,
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
    reject: false,
  });
  stack.onClose(async () => {
    child.kill("SIGKILL");
    await child;
  });
  await until(AbortSignal.timeout(startedWithinMs), () => acceptsConnections(port));
  const headers = peer.headers ?? "";
  const requests = stores.map(
    ({ storeId }) => `GET ${peer.pageOf(storeId, limit)} HTTP/1.1\r\nHost: bench.example.test\r\n${headers}\r\n`,
  );
  await requirePage(peer, port, stores[0]?.storeId ?? "");
  const processes = { server: child.pid ?? 0, database: stack.pids.database };
  return httpSide(stack, peer.name, { port, requests, processes });
}

async function requirePage(peer: Peer, port: number, storeId: string): Promise<void> {
  const lines = (peer.headers ?? "").split("\r\n").filter(Boolean);
  const headers = Object.fromEntries(lines.map((line) => line.split(": ", 2)));
  const response = await fetch(`http://127.0.0.1:${port}${peer.pageOf(storeId, limit)}`, { headers });
  const body = await response.text();
  const count = response.ok ? documentCount(JSON.parse(body)) : undefined;
  if (count !== limit)
    throw new Error(
      `the response has ${count ?? "no"} certificates instead of ${limit}: ${response.status} ${body.slice(0, 200)}`,
    );
}

/**
 * Returns the CPU time of edge and registry together per page, divided by that of the bare process and by that of each
 * peer. Excludes the database server.
 */
function cpuRatios({ service, ...others }: Record<string, readonly Turn[]>) {
  const ratios = Object.entries(others).map(([name, turns]) => [
    `cpu_ratio_${name}`,
    ratioOf(servicesCpu(service), cpuOf(turns, "server", "bare")),
  ]);
  return Object.fromEntries(ratios);
}
