import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { MongoClient } from "mongodb";
import { freePorts } from "../../../deploy/local/servers/free-port.ts";
import { type Collections, collectionsOf } from "../../../services/registry/mongo/collections.ts";
import type { Say } from "../runner/conduct.ts";
import type { Part } from "../runner/part.ts";
import { CheckProcesses } from "../runner/processes.ts";
import { connectRegistry, type RegistryCalls } from "../runner/registry-calls.ts";
import { startServers } from "../runner/servers.ts";
import { makeCheckFiles } from "./check-files.ts";
import { notifierTask, type TargetsFile } from "./notifier-task.ts";
import type { CheckOptions } from "./options.ts";
import { type RecordedRequest, readRecord } from "./receiver/record.ts";
import {
  addressOf,
  checkedNotifierSpec,
  recordingReceiverSpec,
  registrySpecs,
  type ServicesSetup,
} from "./service-specs.ts";
import { type StepKills, stepKillsOf } from "./step-kills.ts";

/** The system under test: everything a process of its own, on 127.0.0.1, with data of its own. */
export interface CheckStack {
  /** Database, messages and registries: what may be killed at any moment. */
  readonly parts: readonly Part[];
  readonly notifiers: readonly Part[];
  readonly registries: readonly RegistryCalls[];
  /** Straight to the database, past the registries. */
  readonly collections: Collections;
  readonly natsUrl: string;
  /** `https://host:port` */
  readonly receiverUrl: string;
  /** Undefined: no notifier ends itself. */
  readonly stepKills: StepKills | undefined;
  /** What the receiver has got so far. */
  received(): RecordedRequest[];
  /** Tells notifiers that do not ask the registry where stores' messages go. */
  tellTargets(targets: TargetsFile): Promise<void>;
  /** Ends every process and removes what they stored. */
  close(): Promise<void>;
}

const registryCount = 2;

/** Starts it. @throws SetupError, one sentence, when a part cannot be had or does not start; nothing keeps running then */
export async function startCheckStack(
  options: CheckOptions,
  over: AbortSignal,
  say: Say,
): Promise<CheckStack> {
  const processes = await CheckProcesses.open({ name: "check-webhooks", keep: options.keep, over, say });
  try {
    const { database, messages, mongodbUri, natsUrl } = await startServers(processes, options.buildFast);
    const client = new MongoClient(mongodbUri, { readConcern: { level: "majority" } });
    processes.onClose(() => client.close());

    const ports = await freePorts(1 + 2 * registryCount + options.notifiers);
    const port = () => ports.pop() ?? 0;
    const receiverPort = port();
    const files = await makeCheckFiles(processes);
    await processes.startService(recordingReceiverSpec(receiverPort, files, options.seed));

    const setup: ServicesSetup = {
      ...{ mongodbUri, natsUrl, files, claimLifeMs: options.claimLifeMs },
      registryPorts: Array.from({ length: registryCount }, () => [port(), port()] as const),
    };
    const parts = [database, messages];
    for (const spec of registrySpecs(setup)) parts.push(await processes.startService(spec));
    const registries = setup.registryPorts.map(([registryPort]) => connectRegistry(addressOf(registryPort)));
    for (const registry of registries) processes.onClose(async () => registry.close());

    const stepKills = options.kills ? stepKillsOf(options, files.killBook) : undefined;
    const notifiers: Part[] = [];
    for (let number = 1; number <= options.notifiers; number++) {
      const operationsPort = port();
      const launch = () => {
        const task = { handling: options.handling, targetsFile: files.targets, kill: stepKills?.next() };
        return processes.launch(checkedNotifierSpec(setup, number, operationsPort, notifierTask(task)));
      };
      const name = `notifier-${number}`;
      notifiers.push(await processes.start({ name, launch, killsItself: true }));
    }
    return {
      ...{ parts, notifiers, registries, natsUrl, stepKills },
      collections: collectionsOf(client.db()),
      receiverUrl: `https://127.0.0.1:${receiverPort}`,
      received: () => readRecord(readFileSync(files.record, "utf8")),
      tellTargets: (targets) => writeFile(files.targets, JSON.stringify(targets)),
      close: () => processes.close(),
    };
  } catch (error) {
    await processes.close();
    throw error;
  }
}
