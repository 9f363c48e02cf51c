import type { Collections } from "../documents/collections.ts";
import { limited } from "../driver/time-limits.ts";

type Restores = Collections["restores"];

// A restore writes this field before any registry starts.
const held = { holdsAutomation: true } as const;

/**
 * Returns whether automation events wait for {@link releaseAutomation}: after a restore, until the erasures of persons
 * since the backup have been repeated. Unlike webhook messages and triggers, they need no notifier to leave the
 * registry.
 */
export async function isAutomationHeld(restores: Restores): Promise<boolean> {
  return (await restores.findOne(held, { ...limited, projection: { _id: 1 } })) !== null;
}

/** Lets the registries publish automation events. */
export async function releaseAutomation(restores: Restores): Promise<void> {
  await restores.updateMany(held, { $unset: { holdsAutomation: true } });
}
