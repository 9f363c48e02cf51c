import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { makeServerCertificate } from "../../deploy/local/receiver/self-signed.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { type ServiceSpec, startService } from "../../deploy/local/stack/service-process.ts";
import {
  edgeSpec,
  notifierSpec,
  receiverSpec,
  registrySpec,
} from "../../deploy/local/stack/service-specs.ts";
import { type OwnMessages, startOwnMessages } from "./own-messages.ts";
import { type ReceivedMessage, readReceived } from "./received-messages.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

/** A service of a {@link ProcessStack}. */
export interface StackService {
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and waits until the process is gone. */
  stop(): Promise<void>;
  /** Starts it again where it was; resolves when it says that it is ready. */
  start(): Promise<void>;
}

/** The whole registry on this machine: every service a process of its own, real servers between them. */
export interface ProcessStack {
  readonly baseUrl: string;
  /** The registry's gRPC, `host:port`. */
  readonly registryAddress: string;
  readonly database: TestDatabase;
  readonly messages: OwnMessages;
  readonly registry: StackService;
  readonly edge: StackService;
  readonly notifier: StackService;
  readonly issuing: Client<typeof IssuingService>;
  readonly admin: Client<typeof StoreAdminService>;
  /** Points a store's webhook at the receiver, which is started with the new signing secret. One store a stack. */
  receiveWebhooksOf(storeId: string): Promise<void>;
  /** What the receiver got and whose signature it verified itself. */
  received(): Promise<ReceivedMessage[]>;
  stop(): Promise<void>;
}

/** Configuration of the services on top of what they need to find each other. */
export interface ProcessStackOptions {
  readonly registryEnv?: Readonly<Record<string, string>>;
}

const callTimeoutMs = 30_000;

/** Starts a stack on free ports, with a database and a NATS server of its own. */
export async function startProcessStack(options: ProcessStackOptions = {}): Promise<ProcessStack> {
  const folder = await mkdtemp(path.join(tmpdir(), "registry-stack-"));
  const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of undo.toReversed()) await step();
  };
  const run = async (spec: ServiceSpec): Promise<StackService> => {
    const logFile = path.join(folder, `${spec.name}.log`);
    let child = await startService(spec, logFile);
    undo.push(() => child.stop());
    return {
      kill: async () => {
        child.kill();
        await child.exited;
      },
      stop: () => child.stop(),
      start: async () => {
        child = await startService(spec, logFile);
      },
    };
  };
  try {
    const database = await openTestDatabase();
    undo.push(() => database.close());
    const messages = await startOwnMessages();
    undo.push(() => messages.close());
    const files = await writeSecrets(folder);
    const addresses = {
      mongodbUri: database.uri,
      natsUrl: messages.url,
      registryPort: await freePort(),
      registryOperationsPort: await freePort(),
      edgePort: await freePort(),
      edgeOperationsPort: await freePort(),
      notifierOperationsPort: await freePort(),
    };
    const registryAddress = `127.0.0.1:${addresses.registryPort}`;
    const spec = registrySpec(addresses, files.secretKey);
    const registry = await run({ ...spec, env: { ...spec.env, ...options.registryEnv } });
    const edge = await run(edgeSpec(addresses, files.cursorKey));
    const notifier = await run(notifierSpec(addresses, files.ca));
    const transport = createGrpcClient({ address: registryAddress, timeoutMs: callTimeoutMs });
    undo.push(async () => transport.close());
    const admin = createClient(StoreAdminService, transport);
    const receiverPort = await freePort();
    return {
      baseUrl: `http://127.0.0.1:${addresses.edgePort}`,
      registryAddress,
      database,
      messages,
      registry,
      edge,
      notifier,
      issuing: createClient(IssuingService, transport),
      admin,
      receiveWebhooksOf: async (storeId) => {
        const url = `https://127.0.0.1:${receiverPort}/webhooks`;
        const { secret } = await admin.setWebhook({ storeId, url, createSecret: true });
        await writeFile(files.receiver.secret, secret);
        await run(receiverSpec(receiverPort, files.receiver));
      },
      received: async () => readReceived(await readFile(files.receiver.log, "utf8").catch(() => "")),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeSecrets(folder: string) {
  const files = {
    cursorKey: path.join(folder, "cursor.key"),
    secretKey: path.join(folder, "secret.key"),
    ca: path.join(folder, "ca.pem"),
    receiver: {
      cert: path.join(folder, "cert.pem"),
      key: path.join(folder, "key.pem"),
      secret: path.join(folder, "signing-secret"),
      log: path.join(folder, "received.jsonl"),
    },
  };
  const { caPem, certPem, keyPem } = await makeServerCertificate();
  await writeFile(files.cursorKey, randomBytes(32));
  await writeFile(files.secretKey, randomBytes(32));
  await writeFile(files.ca, caPem);
  await writeFile(files.receiver.cert, certPem);
  await writeFile(files.receiver.key, keyPem);
  return files;
}
