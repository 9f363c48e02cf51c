import { afterAll } from "vitest";
import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import type { EdgeConfig } from "../../services/edge/config.ts";
import { startEdge, type TestEdge } from "../../services/edge/testing/start-edge.ts";
import { type IssueItemChanges, issueOne } from "./issue-items.ts";
import { linkTokenOf } from "./link-token-of.ts";
import { oncePerWorker } from "./once-per-worker.ts";
import { openTestRegistry, type TestRegistry } from "./registry-fixture.ts";
import { createTestStore } from "./test-stores.ts";

/** A registry and an edge whose address the verification links contain. */
export interface PagesRig {
  readonly registry: TestRegistry;
  readonly edge: TestEdge;
  /** Base URL of the verification pages. */
  readonly verifyUrl: string;
  /** Issues a certificate. @returns its id, its link token and the URL of its page, without a query */
  issue(storeId: string, changes?: IssueItemChanges): Promise<LinkedCertificate>;
  /** Starts another edge for the same registry. @returns the base URL of its verification pages */
  openEdge(): Promise<string>;
}

/** A certificate, with the token and URL of its verification page. */
export interface LinkedCertificate {
  readonly certificateId: string;
  readonly linkToken: string;
  readonly url: string;
}

/**
 * Starts a registry and an edge in the test's process.
 *
 * @param onEnd registers the functions that stop them. Default: {@link atEnd}
 */
export async function openPagesRig(
  overrides: Partial<EdgeConfig> = {},
  registryVariables: Readonly<Record<string, string>> = {},
  onEnd: (stop: () => Promise<unknown>) => void = atEnd,
): Promise<PagesRig> {
  const port = await freePort();
  const verifyUrl = `http://127.0.0.1:${port}/verify`;
  const env = { REGISTRY_VERIFY_BASE_URL: verifyUrl, ...registryVariables };
  const registry = await openTestRegistry({ env }, onEnd);
  // The hook is registered here, because vitest never calls one that a running test registers.
  const edges: Awaited<ReturnType<typeof startEdge>>[] = [];
  onEnd(() => Promise.all(edges.map((edge) => edge.stop())));
  const start = async (ownPort: number) => {
    const edge = await startEdge({
      registryAddress: registry.address,
      port: ownPort,
      ...overrides,
    });
    edges.push(edge);
    return edge;
  };
  return {
    registry,
    edge: await start(port),
    verifyUrl,
    issue: async (storeId, changes) => {
      const certificateId = await issueOne(registry, storeId, changes);
      const linkToken = await linkTokenOf(registry, certificateId);
      return { certificateId, linkToken, url: `${verifyUrl}/${linkToken}` };
    },
    openEdge: async () => `http://127.0.0.1:${(await start(0)).port}/verify`,
  };
}

const openShared = oncePerWorker((onEnd) => openPagesRig({}, {}, onEnd));

/**
 * Returns the registry and the edge that the test files of this worker share, for tests that change and count only what
 * belongs to stores of their own, and reach no limit of their network.
 */
export async function sharedPagesRig(): Promise<PagesRig> {
  const rig = await openShared();
  afterAll(rig.registry.requireCleanLog);
  return rig;
}

/** Creates a store with a display name. @returns its id */
export function createPageStore(
  { registry }: Pick<PagesRig, "registry">,
  overrides: Parameters<typeof createTestStore>[1] = {},
): Promise<string> {
  return createTestStore(registry, { displayName: "Linden Press", ...overrides });
}

/** Returns the types of a certificate's events, oldest first. */
export async function eventsOf({ registry }: Pick<PagesRig, "registry">, certificateId: string): Promise<number[]> {
  const { history } = registry.database.collections;
  const entries = await history.find({ certificate: certificateId }).sort({ at: 1 }).toArray();
  return entries.map(({ type }) => type);
}
