import { steadyClock } from "#shared/time/clock.ts";
import { databaseCall } from "../../services/registry/mongo/driver/database-error.ts";
import { limited } from "../../services/registry/mongo/driver/time-limits.ts";
import { documentVersion, type Migration } from "../../services/registry/mongo/migrations/migration.ts";
import type { DocumentVersion } from "../../services/registry/mongo/migrations/run-migrations.ts";
import { callUntilKnown, type FeedWorld, type Replace, type Rollout } from "./feed-world.ts";
import type { HistoryScript } from "./history-script.ts";
import { choicesOf, type SimulatedWorld } from "./run-in-world.ts";

/** What the focus of a directed history with a migration names. */
const migratesDocuments = "documents are migrated during a rolling update";

const sampleIds = Array.from({ length: 10 }, (_, index) => `smp_${index}`);
const [oldTitle, newTitle] = ["old", "new"];
const batchSize = 3;
/** Long enough for changes and faults between the read and the write of a document. */
const documentMs = 100;
const changeMaxMs = 1_000;
/** The share of histories without a restore. */
const rolloutRate = 0.2;
const rollbackRate = 0.5;
const pollMs = 1_000;
/** After the last upgrade. */
const finishMaxMs = 120_000;

/** Converts samples of the old form. */
const newTitles: Migration = {
  id: "titles",
  version: documentVersion,
  async convert({ samples }, position) {
    const page = await samples
      .find(position === null ? {} : { _id: { $gt: position } }, limited)
      .sort({ _id: 1 })
      .limit(batchSize)
      .toArray();
    let changedCount = 0;
    for (const { _id, product } of page) {
      await steadyClock.sleep(documentMs);
      const unchanged = { _id, "product.title": oldTitle, "product.variant": product.variant };
      const converted = { ...product, title: newTitle };
      changedCount += (await samples.updateOne(unchanged, { $set: { product: converted } }, limited)).modifiedCount;
    }
    return { changedCount, next: page.length < batchSize ? null : (page.at(-1)?._id ?? null) };
  },
};

const formerVersion: DocumentVersion = { documentVersion: documentVersion - 1, migrations: [] };
const nextVersion: DocumentVersion = { documentVersion, migrations: [newTitles] };

/** Returns the version of the next registry that starts; undefined without a rolling update. */
export function versionToStart({ rollout, replicas }: FeedWorld): DocumentVersion | undefined {
  if (rollout === undefined) return undefined;
  return rollout.hasFormer && !replicas.some(isFormer) ? formerVersion : nextVersion;
}

/**
 * Returns whether a registry writes the old form. It is not paused: after the end of its heartbeat, it could write the
 * old form however late, which only the release after the next one refuses.
 */
export function isFormer({ version }: { readonly version: DocumentVersion | undefined }): boolean {
  return version === formerVersion;
}

/** Returns the rolling update of a history; undefined if it has none. */
export function rolloutOf(simulated: SimulatedWorld, script: HistoryScript): Rollout | undefined {
  const isChosen = choicesOf(simulated, "migration kind").chance(rolloutRate);
  return script.has(migratesDocuments, isChosen) ? { hasFormer: true, changed: new Map(), isDone: false } : undefined;
}

/**
 * Replaces the registry of the former version, in many histories rolls back for a while, and judges the samples, which
 * change meanwhile, once the migration is finished. Does nothing without a rolling update.
 */
export async function rollOut(history: FeedWorld, replace: Replace): Promise<void> {
  const { world, script, collections, problems, replicas, rollout } = history;
  if (rollout === undefined) return;
  const random = choicesOf(history, "rollout");
  const product = { id: "1", title: oldTitle, variant: "", sku: "" };
  const createdAt = new Date(world.now());
  await collections.samples.insertMany(sampleIds.map((_id) => ({ _id, store: history.storeId, product, createdAt })));
  const changing = changeSamples(history, rollout);
  await world.delay(1_000 + random.below(2_000));
  await upgrade(history, rollout, replace);
  await world.delay(8_000 + random.below(9_000));
  const rollsBack = random.chance(rollbackRate);
  if (rollsBack && script.happens("rollback", world.now(), "a registry is replaced by one of the former version")) {
    rollout.hasFormer = true;
    for (const replica of replicas.slice(0, 1)) replace(replica);
    await world.delay(1_500 + random.below(3_000));
    await upgrade(history, rollout, replace);
  }
  const endsAtMs = world.now() + finishMaxMs;
  while (!(await isFinished(history)) && world.now() < endsAtMs) await world.delay(pollMs);
  if (world.now() >= endsAtMs) problems.push(`a migration is not finished ${finishMaxMs} ms after the upgrade`);
  rollout.isDone = true;
  await changing;
  problems.push(...(await judgeSamples(history, rollout)));
}

async function upgrade(history: FeedWorld, rollout: Rollout, replace: Replace): Promise<void> {
  const { world, script, replicas, problems } = history;
  // A registry of the former version serves once it has reset the migration.
  if (replicas.some((one) => isFormer(one) && one.registry !== undefined) && (await isFinished(history)))
    problems.push("a migration is finished while a registry writes the old form");
  rollout.hasFormer = false;
  script.note(world.now(), "the registry of the former version is replaced");
  for (const replica of replicas.filter(isFormer)) replace(replica);
}

async function isFinished({ collections }: FeedWorld): Promise<boolean> {
  const state = await collections.migrations.findOne({ _id: newTitles.id }).catch(() => null);
  return state !== null && state.finishedAt !== null;
}

/** Changes samples through any registry, one after the other. */
async function changeSamples(history: FeedWorld, rollout: Rollout): Promise<void> {
  const random = choicesOf(history, "samples");
  for (let count = 1; !rollout.isDone; count++) {
    await history.world.delay(random.below(changeMaxMs));
    const [_id, variant] = [random.pick(sampleIds), String(count).padStart(6, "0")];
    // An earlier attempt that comes late changes nothing.
    const earlier = { _id, "product.variant": { $lt: variant } };
    await callUntilKnown(history, ({ samples, version }) => {
      const title = version === formerVersion ? oldTitle : newTitle;
      const $set = { "product.title": title, "product.variant": variant };
      return databaseCall(() => samples.updateOne(earlier, { $set }, limited));
    });
    rollout.changed.set(_id, variant);
  }
}

async function judgeSamples({ collections }: FeedWorld, { changed }: Rollout): Promise<string[]> {
  const stored = await collections.samples.find({ _id: { $in: sampleIds } }).toArray();
  const missing = sampleIds.length - stored.length;
  return [
    ...(missing > 0 ? [`${missing} samples are missing`] : []),
    ...stored.flatMap(({ _id, product: { title, variant } }) => [
      ...(title === newTitle ? [] : [`${_id} has the old form after the migration`]),
      ...(variant === (changed.get(_id) ?? "") ? [] : [`${_id} has lost the change ${changed.get(_id)}`]),
    ]),
  ];
}
