import { MongoClient } from "mongodb";
import { freePorts } from "../../../deploy/local/servers/free-port.ts";
import { type Collections, collectionsOf } from "../../../services/registry/mongo/collections.ts";
import type { Say } from "../runner/conduct.ts";
import { makeKeyFiles } from "../runner/key-files.ts";
import type { Part } from "../runner/part.ts";
import { CheckProcesses } from "../runner/processes.ts";
import { connectRegistry, type RegistryCalls } from "../runner/registry-calls.ts";
import { startServers } from "../runner/servers.ts";
import type { CheckOptions } from "./options.ts";
import { checkedServices } from "./service-specs.ts";

/** The system under test: everything a process of its own, on 127.0.0.1, with data of its own. */
export interface CheckStack {
  /** All of it: database, messages, three registries, two edges. */
  readonly parts: readonly Part[];
  readonly registries: readonly RegistryCalls[];
  readonly edgeUrls: readonly string[];
  /** Straight to the database, past the registries. */
  readonly collections: Collections;
  /** Ends every process and removes what they stored. */
  close(): Promise<void>;
}

type StackOptions = Pick<CheckOptions, "plainClock" | "buildFast" | "keep">;

/** Starts it. @throws SetupError, one sentence, when a part cannot be had or does not start; nothing keeps running then */
export async function startCheckStack(
  options: StackOptions,
  over: AbortSignal,
  say: Say,
): Promise<CheckStack> {
  const processes = await CheckProcesses.open({ name: "check-feed", keep: options.keep, over, say });
  try {
    const { database, messages, mongodbUri, natsUrl } = await startServers(processes, options.buildFast);
    const client = new MongoClient(mongodbUri, { readConcern: { level: "majority" } });
    processes.onClose(() => client.close());
    const { cursorKeyFile, secretKeyFile } = await makeKeyFiles(processes);
    const ports = await freePorts(10);
    const services = checkedServices({
      mongodbUri,
      natsUrl,
      ports,
      cursorKeyFile,
      secretKeyFile,
      ...options,
    });
    const parts = [database, messages];
    for (const spec of services.specs) parts.push(await processes.startService(spec));
    const registries = services.registryAddresses.map(connectRegistry);
    for (const registry of registries) processes.onClose(async () => registry.close());
    return {
      parts,
      registries,
      edgeUrls: services.edgeUrls,
      collections: collectionsOf(client.db()),
      close: () => processes.close(),
    };
  } catch (error) {
    await processes.close();
    throw error;
  }
}
