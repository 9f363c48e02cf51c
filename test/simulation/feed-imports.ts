import { ServiceError } from "#shared/errors/service-error.ts";
import type { CertificateDocument } from "../../services/registry/mongo/documents/documents.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { erase } from "./feed-erasures.ts";
import { isFormer } from "./feed-migrations.ts";
import { callUntilKnown, type FeedWorld, type Replace, type Replica } from "./feed-world.ts";
import { choicesOf } from "./run-in-world.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";

const importsMax = 2;
const pauseMaxMs = 12_000;
const pollMs = 1_000;
/** About how long a registry takes to issue a file. */
const issueMaxMs = 20;
/** An erasure takes less, if it waits for nothing. */
const pausedMs = 5_000;
const durationMaxMs = 300_000;
const unitsOfRow = 2;
const firstOrder = 7_000_000;
const header = "Name,Email,Financial Status,Paid at,Lineitem quantity,Lineitem name,Billing Name,Cancelled at,Id";

/** What the focus of a directed history with killed imports names. */
const killsIssuing = "a registry is killed while it issues a file";
/** The share of such imports among those beside which no buyer is erased. */
const killRate = 0.3;
/** A registry that has issued nothing by then is paused, or another one issues the file. */
const killWithinMs = 200;

/** The orders of a file. */
interface ImportedFile {
  readonly orders: readonly string[];
  /** Whether the registry has reported that it has issued everything. */
  isComplete: boolean;
}

/** Imports files as a merchant does: uploads, has them examined, and has the certificates issued. @returns the files */
export async function importFiles(history: FeedWorld, replace: Replace): Promise<readonly ImportedFile[]> {
  const { world, script } = history;
  const random = choicesOf(history, "imports");
  const files: ImportedFile[] = [];
  for (let count = 1; count <= importsMax; count++) {
    await world.delay(random.below(pauseMaxMs));
    const rows = 1 + random.below(12);
    if (history.isEnding) break;
    if (!script.happens(`import ${count}`, world.now(), `the import of a file with ${rows} orders begins`)) continue;
    const orders = Array.from({ length: rows }, (_, row) => String(firstOrder + count * 100 + row));
    const file = { orders, isComplete: false };
    files.push(file);
    try {
      file.isComplete = await importFile(history, replace, orders, count);
    } catch (error) {
      // An erasure has deleted the import.
      if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
    }
    script.note(
      world.now(),
      `the import ${file.isComplete ? "has issued everything" : "has been deleted or has ended"}`,
    );
  }
  return files;
}

async function importFile(
  history: FeedWorld,
  replace: Replace,
  orders: readonly string[],
  number: number,
): Promise<boolean> {
  const { storeId, owners } = history;
  const one = { storeId, actor: "merchant", fileName: "orders.csv" };
  const change = (run: (registry: SimulatedReplica) => Promise<void>) => repeatChange(history, run);
  const emails = orders.map((order) => `buyer-${order}@example.test`);
  const lines = orders.map(
    (order, row) => `#${order},${emails[row]},paid,2026-05-01 10:00:00 +0200,${unitsOfRow},Print - A3,Ada,,${order}`,
  );
  const content = Buffer.from([header, ...lines].join("\r\n"));
  // Each attempt creates another import, as a call of the registry does: one that comes late changes no other.
  const importId = await callUntilKnown(history, async ({ imports }) => {
    const id = newId("imp");
    await imports.create({ id, ...one });
    return id;
  });
  for (const email of emails) owners.add(email);
  await change(({ imports }) => imports.addPart(storeId, importId, 0, content));
  await change(async ({ imports, importRunner }) => {
    await imports.start(storeId, importId, "examining", one.actor);
    importRunner.wake();
  });
  await waitFor(history, importId, "examined");
  let called: SimulatedReplica | undefined;
  await change(async (registry) => {
    called = registry;
    await registry.imports.start(storeId, importId, "issuing", one.actor);
    registry.importRunner.wake();
  });
  const finished = waitFor(history, importId, "finished");
  const issuing = history.replicas.find(({ registry }) => registry !== undefined && registry === called);
  const disturbance =
    issuing === undefined || isFormer(issuing)
      ? undefined
      : disturb(history, { issuing, replace, orders, emails, number });
  // An erasure deletes the import, and goes on after that.
  await Promise.allSettled([finished, disturbance]);
  history.holdsErasures = false;
  await disturbance;
  return (await finished).fault === null;
}

interface Issuing {
  readonly issuing: Replica;
  readonly replace: Replace;
  readonly orders: readonly string[];
  readonly emails: readonly string[];
  readonly number: number;
}

/**
 * Beside many imports, erases a buyer of the file while the registry that issues the certificates is paused; beside
 * some others, kills that registry.
 */
async function disturb(history: FeedWorld, { issuing, replace, orders, emails, number }: Issuing): Promise<void> {
  const { world, script, erased, collections } = history;
  const random = choicesOf(history, `erasure beside import ${number}`);
  const others = choicesOf(history, `kill beside import ${number}`);
  if (history.isEnding) return;
  const erases = !random.chance(0.3);
  if (script.has(killsIssuing, !erases && others.chance(killRate))) {
    history.holdsErasures = true;
    // The registry has only milliseconds left in which it has issued, and its import is not finished.
    const first = { "order.id": orders[0] };
    const isIssued = async () => (await collections.certificates.findOne(first).catch(() => null)) !== null;
    const endsAtMs = world.now() + killWithinMs;
    while (!(await isIssued()) && world.now() < endsAtMs) await world.delay(1);
    if (world.now() >= endsAtMs || history.isEnding) return;
    if (script.happens(`kill beside import ${number}`, world.now(), killsIssuing)) replace(issuing);
    return;
  }
  if (!erases) return;
  await world.delay(random.below(issueMaxMs));
  const email = random.pick(emails);
  const words = `a registry is paused while it issues for ${email}, whose erasure begins`;
  if (erased.has(email) || !script.happens(`erasure beside import ${number}`, world.now(), words)) return;
  world.pause(issuing.process);
  world.schedule(pausedMs, () => world.resume(issuing.process));
  await erase(history, email, { avoids: issuing.registry });
}

/**
 * Repeats a change with an unknown result; the repetition may find that the import has gone on. Also repeats one that
 * is refused because an earlier change, which was repeated, has come late and examines the file again.
 */
async function repeatChange(history: FeedWorld, run: (registry: SimulatedReplica) => Promise<void>): Promise<void> {
  const { world, problems } = history;
  const untilMs = world.now() + durationMaxMs;
  await callUntilKnown(history, async (registry) => {
    try {
      await run(registry);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === "failed_precondition")) throw error;
      if (error.why?.code !== "import_not_examined") return true;
      if (world.now() < untilMs) return undefined;
      problems.push(`an import is not examined after ${durationMaxMs} ms`);
    }
    return true;
  });
}

async function waitFor(history: FeedWorld, importId: string, state: "examined" | "finished") {
  const { world, storeId, problems } = history;
  const fromMs = world.now();
  for (;;) {
    const found = await callUntilKnown(history, ({ imports }) => imports.find(storeId, importId));
    if (found.state === state) return found;
    if (world.now() - fromMs > durationMaxMs) {
      problems.push(`an import is ${found.state} instead of ${state} after ${durationMaxMs} ms`);
      return found;
    }
    await world.delay(pollMs);
  }
}

/** Judges the certificates of the files. @returns what is wrong */
export function judgeImports(
  files: readonly ImportedFile[],
  stored: readonly Pick<CertificateDocument, "order">[],
): string[] {
  return files.flatMap(({ orders, isComplete }) =>
    orders.flatMap((order) => {
      const { length } = stored.filter((one) => one.order?.id === order);
      const isRight = isComplete ? length === unitsOfRow : length <= unitsOfRow;
      return isRight ? [] : [`order ${order} of a file has ${length} certificates for ${unitsOfRow} units`];
    }),
  );
}

/** Returns whether a certificate comes from a file. */
export function isImported({ order }: Pick<CertificateDocument, "order">): boolean {
  return Number(order?.id ?? 0) >= firstOrder;
}
