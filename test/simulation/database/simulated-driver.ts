import { PassThrough } from "node:stream";
import { type ServerDescription as Description, MongoClient, TopologyType } from "mongodb";
import type { OpMsgRequest } from "mongodb/lib/cmap/commands.js";
import { Connection } from "mongodb/lib/cmap/connection.js";
import { MongoDBResponse } from "mongodb/lib/cmap/wire_protocol/responses.js";
import { Server } from "mongodb/lib/sdam/server.js";
import { ServerDescription } from "mongodb/lib/sdam/server_description.js";
import { Topology } from "mongodb/lib/sdam/topology.js";
import { TopologyDescription } from "mongodb/lib/sdam/topology_description.js";
import { helloOf } from "../../harness/fake-database.ts";
import type { Doc } from "./bson-value.ts";
import { receivedCommand } from "./received-command.ts";

// The cut: the driver's clients, sessions, cursors, batches, retries and the decoding of replies are the real ones. The
// topology, which monitors and selects servers, and the sockets are replaced, so that the driver uses neither timers
// nor I/O.

/** Runs a command. @returns the encoded reply @throws MongoNetworkError if the reply is lost */
type Endpoint = (command: Doc) => Promise<Uint8Array>;

// The first client of a process looks for a container's file: before any world.
void new MongoClient("mongodb://simulated.invalid");

const endpoints = new Map<string, Endpoint>();

/** Connects all clients of `uri` to an endpoint, until disposal. @param database named by the URI */
export function listen(endpoint: Endpoint, database: string): { readonly uri: string } & Disposable {
  let number = 1;
  while (endpoints.has(hostOf(number))) number += 1;
  const host = hostOf(number);
  endpoints.set(host, endpoint);
  return { uri: `mongodb://${host}/${database}`, [Symbol.dispose]: () => void endpoints.delete(host) };
}

function hostOf(number: number): string {
  return `simulated-${number}.invalid`;
}

// Internal: `connect` itself may be wrapped, for example by the check of the commands that tests send.
const connectName = "_connect";
const connect: unknown = Reflect.get(MongoClient.prototype, connectName);

async function connectSimulated(this: MongoClient): Promise<unknown> {
  const [first] = this.options.hosts;
  const endpoint = endpoints.get(first?.host ?? "");
  if (endpoint === undefined) return typeof connect === "function" ? Reflect.apply(connect, this, []) : this;
  Object.assign(this, { topology: new SimulatedTopology(this, endpoint) });
  return this;
}

Reflect.set(MongoClient.prototype, connectName, connectSimulated);

/** A replica set whose only member is always known. */
class SimulatedTopology extends Topology {
  readonly #server: SimulatedServerOfDriver;

  constructor(client: MongoClient, endpoint: Endpoint) {
    super(client, client.options.hosts, client.options);
    const address = client.options.hosts.join();
    const hello = helloOf(address);
    const description = new ServerDescription(address, hello);
    this.s.description = new TopologyDescription(
      TopologyType.ReplicaSetWithPrimary,
      new Map([[address, description]]),
      hello.setName,
    );
    this.s.state = "connected";
    this.#server = new SimulatedServerOfDriver(this, description, client, endpoint);
  }

  override async selectServer(): Promise<Server> {
    return this.#server;
  }

  override close(): void {
    this.s.state = "closed";
  }

  override closeCheckedOutConnections(): void {
    // A command in progress ends by itself.
  }
}

/** The driver's view of a server, with one connection for all commands. */
class SimulatedServerOfDriver extends Server {
  constructor(topology: Topology, description: Description, client: MongoClient, endpoint: Endpoint) {
    super(topology, description, client.options);
    const connection = new SimulatedConnection(client, endpoint);
    for (const event of ["commandStarted", "commandSucceeded", "commandFailed"] as const)
      connection.on(event, (fields) => client.emit(event, fields));
    this.pool = { checkOut: async () => connection, checkIn: () => undefined, generation: 0 };
    this.s.state = "connected";
  }

  override handleError(): void {
    // The server is never unknown to the driver: a lost connection is replaced at once.
  }
}

class SimulatedConnection extends Connection {
  readonly #endpoint: Endpoint;

  constructor(client: MongoClient, endpoint: Endpoint) {
    super(new PassThrough(), { ...client.options, id: 1, generation: 0, hostAddress: client.options.hosts[0] });
    this.hello = helloOf(client.options.hosts.join());
    this.established = true;
    this.#endpoint = endpoint;
  }

  override async *sendWire(message: OpMsgRequest, _options: object, responseType = MongoDBResponse) {
    const command = receivedCommand(message);
    // The histories of known seeds depend on this microtask.
    await undefined;
    yield responseType.make(await this.#endpoint(command));
  }
}
