import { RegistryClient, sync } from "../../../services/client/index.ts";
import { ListClient } from "../../harness/list-client.ts";
import { openStore } from "../../harness/mirror/open-store.ts";
import type { Mirror } from "./start-mirror.ts";
import { compareCopy } from "./verdict.ts";

/** A mirror's copy, compared with the list. */
export type ComparedMirror = Awaited<ReturnType<typeof compareMirror>>;

/**
 * Kills a mirror's program, and compares its copy with the list. Unless `ignoresEpoch` is set, the copy catches up
 * first.
 */
export async function compareMirror(mirror: Mirror, edgeUrl: string, ignoresEpoch: boolean) {
  const { kind, location, store } = mirror;
  await mirror.process.kill();
  const opened = await openStore(kind, location);
  try {
    const client = new RegistryClient({ baseUrl: edgeUrl, apiKey: store.apiKey });
    if (!ignoresEpoch) await sync(client, opened.store);
    const listed = await new ListClient(edgeUrl, store.apiKey).all({ limit: "100" });
    const { epoch } = await client.getPage({ limit: 1 });
    const followsRestore = (await opened.store.loadPosition())?.epoch === epoch;
    return { mirror, certificates: listed.length, followsRestore, ...compareCopy(listed, await opened.read()) };
  } finally {
    await opened.close();
  }
}

/** Returns the newest `updatedAt` that a mirror has read for its current copy; null if it has read none. */
export async function watermarkOf({ kind, location }: Mirror): Promise<string | null> {
  const opened = await openStore(kind, location);
  try {
    return (await opened.store.loadPosition())?.watermark ?? null;
  } finally {
    await opened.close();
  }
}
