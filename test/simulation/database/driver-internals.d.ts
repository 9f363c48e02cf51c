// The parts of the driver below its public classes that the simulation replaces, as the pinned version has them.

declare module "mongodb/lib/cmap/connection.js" {
  import type { EventEmitter } from "node:events";
  import type { Duplex } from "node:stream";
  import type { Document } from "mongodb";
  import type { OpMsgRequest } from "mongodb/lib/cmap/commands.js";
  import type { MongoDBResponse } from "mongodb/lib/cmap/wire_protocol/responses.js";

  export class Connection extends EventEmitter {
    constructor(stream: Duplex, options: object);
    hello: Document;
    established: boolean;
    sendWire(
      message: OpMsgRequest,
      options: object,
      responseType?: typeof MongoDBResponse,
    ): AsyncGenerator<MongoDBResponse>;
  }
}

declare module "mongodb/lib/cmap/commands.js" {
  import type { Document } from "mongodb";

  export class OpMsgRequest {
    constructor(database: string, command: Document, options: { readonly ignoreUndefined?: boolean });
    readonly command: Document;
    readonly ignoreUndefined: boolean;
    toBin(): Uint8Array[];
  }

  /** Documents of a command that are sent apart from it. */
  export class DocumentSequence {
    /** A header, then the encoded documents. */
    readonly chunks: readonly Uint8Array[];
  }
}

declare module "mongodb/lib/cmap/wire_protocol/responses.js" {
  export interface MongoDBResponse {
    readonly ok: number;
  }

  export const MongoDBResponse: { make(bson: Uint8Array): MongoDBResponse };
}

declare module "mongodb/lib/sdam/server.js" {
  import type { EventEmitter } from "node:events";
  import type { MongoClientOptions, ServerDescription } from "mongodb";
  import type { Connection } from "mongodb/lib/cmap/connection.js";
  import type { Topology } from "mongodb/lib/sdam/topology.js";

  export class Server extends EventEmitter {
    constructor(topology: Topology, description: ServerDescription, options: MongoClientOptions);
    pool: { checkOut(): Promise<Connection>; checkIn(connection: Connection): void; readonly generation: number };
    s: { state: string };
    handleError(error: unknown): void;
  }
}

declare module "mongodb/lib/sdam/server_description.js" {
  import type { ServerDescription as Description, Document } from "mongodb";

  export const ServerDescription: new (address: string, hello: Document) => Description;
}

declare module "mongodb/lib/sdam/topology_description.js" {
  import type { TopologyDescription as Description, ServerDescription, TopologyType } from "mongodb";

  export const TopologyDescription: new (
    type: TopologyType,
    servers: Map<string, ServerDescription>,
    setName: string,
  ) => Description;
}

declare module "mongodb/lib/sdam/topology.js" {
  import type { EventEmitter } from "node:events";
  import type { MongoClient, MongoClientOptions, TopologyDescription } from "mongodb";
  import type { Server } from "mongodb/lib/sdam/server.js";

  export class Topology extends EventEmitter {
    constructor(client: MongoClient, hosts: readonly unknown[], options: MongoClientOptions);
    s: { description: TopologyDescription; state: string };
    connect(): Promise<this>;
    selectServer(): Promise<Server>;
    close(): void;
    closeCheckedOutConnections(): void;
    isConnected(): boolean;
  }
}
