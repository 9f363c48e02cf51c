import { isStandIn } from "../../../deploy/local/servers/stand-in/stand-in-databases.ts";
import { newCopy, reconcile } from "../../../deploy/receivers/keep-copy.mjs";
import { alternate, type Side } from "../alternate.ts";
import type { BenchStack, StackVariables } from "../bench-stack.ts";
import { compare, spreadOf } from "../compare.ts";
import { cpuMsOf } from "../process-cpu.ts";
import { type ProgressSample, ratePerUnit, sampleProgress } from "../sync/progress.ts";
import { createLargeStore } from "./large-stores.ts";
import { startBare } from "./list-sides.ts";
import type { Part } from "./part.ts";
import { issueIn } from "./stores.ts";

const defaultCount = 100_000;
const standInCount = 20_000;
const pageSize = 100;
// Share of the copied certificates that counts as the first pages; the last pages are an equal share at the end.
const edgeShare = 0.15;
const newCertificates = 30;

/**
 * Environment variables for parts in which one integrator requests pages as fast as they arrive: with the default
 * window of 60 s, the rate limit would refuse most of the requests.
 */
export const shortWindow: StackVariables = {
  registry: { REGISTRY_RATE_LIMIT: "1000", REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" },
};

/**
 * Measures how fast one integrator copies a store by the documented procedure (`deploy/receivers/keep-copy.mjs`: pages
 * of 100 with the cursor, `Retry-After` after a 429), compared with the same client reading from a bare process. Then
 * issues certificates and checks that `updated_since` returns exactly these.
 */
export const measureSync: Part = async (stack, { rounds, roundMs, ...options }, signal) => {
  const count = options.certificates ?? (isStandIn(stack.databaseKind) ? standInCount : defaultCount);
  const { storeId, apiKey } = await createLargeStore(stack, count, signal);
  const bare = await startBare(stack, 1);
  const { edge, pids } = stack;
  const edgeUrl = `http://127.0.0.1:${edge.port}`;
  const depth: { first: number; last: number }[] = [];
  const service = copySide(stack, "service", count, () => copyFrom(edgeUrl, apiKey), {
    processes: { edge: edge.pid, registry: pids.registry, database: pids.database },
    onCopied: (samples) => {
      const perPage = (from: number, to: number) => 1_000 * pageSize * ratePerUnit(samples, from * count, to * count);
      depth.push({ first: perPage(0, edgeShare), last: perPage(1 - edgeShare, 1) });
    },
  });
  const baseline = copySide(stack, "bare", count, () => copyFrom(`http://127.0.0.1:${bare.port}/${storeId}`, ""), {
    processes: { bare: bare.pid, database: pids.database },
  });
  const turns = await alternate([service, baseline], { rounds, durationMs: roundMs, signal });
  await requireCatchUp(stack, storeId, edgeUrl, apiKey);
  // Earlier copies belong to the warm-up.
  const measured = depth.slice(-rounds);
  return {
    copy: {
      title: `sync: certificates per second of one client copying ${count} certificates, pages of ${pageSize}`,
      ...compare(turns),
      numbers: {
        cpu_micros_first_pages: spreadOf(measured.map(({ first }) => first)),
        cpu_micros_last_pages: spreadOf(measured.map(({ last }) => last)),
        depth_ratio_services: spreadOf(measured.map(({ first, last }) => last / first)),
      },
    },
  };
};

async function copyFrom(baseUrl: string, apiKey: string) {
  const copy = newCopy();
  return { copy, done: reconcile(copy, baseUrl, apiKey) };
}

interface CopySide extends Pick<Side, "processes"> {
  /** Receives samples of the total CPU time of edge and registry, in ms, and of the number of copied certificates. */
  readonly onCopied?: (samples: readonly ProgressSample[]) => void;
}

function copySide(
  { edge, pids }: BenchStack,
  name: string,
  count: number,
  start: () => ReturnType<typeof copyFrom>,
  { processes, onCopied }: CopySide,
): Side {
  const cpuOfServices = async () => (await cpuMsOf(edge.pid)) + (await cpuMsOf(pids.registry));
  return {
    name,
    processes,
    round: async () => {
      const startedAt = performance.now();
      const { copy, done } = await start();
      const sampling = sampleProgress(() => copy.certificates.size, cpuOfServices);
      await done.finally(() => sampling.stop());
      const elapsedMs = performance.now() - startedAt;
      const { size } = copy.certificates;
      if (size !== count) throw new Error(`${name}: the copy has ${size} of ${count} certificates`);
      onCopied?.(await sampling.samples);
      return { units: size, elapsedMs };
    },
  };
}

/**
 * Issues certificates, and reads the list with `updated_since` set to the newest `updatedAt` before their issue.
 *
 * @throws Error unless the list returns exactly the new certificates
 */
async function requireCatchUp(stack: BenchStack, storeId: string, url: string, apiKey: string): Promise<void> {
  const complete = newCopy();
  const { updatedAt: watermark } =
    (await stack.collections.certificates.find({ store: storeId }).sort({ updatedAt: -1 }).limit(1).next()) ?? {};
  complete.watermark = watermark?.toISOString();
  const issued = await issueIn(stack, storeId, newCertificates);
  await reconcile(complete, url, apiKey);
  const read = [...complete.certificates.keys()];
  if (read.toSorted().join() !== issued.toSorted().join())
    throw new Error(`updated_since returned ${read.length} certificates instead of the ${issued.length} new ones`);
}
