import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { BSON, type Document, MongoClient, type MongoClientOptions } from "mongodb";
import { onTestFinished } from "vitest";
import { onMessage } from "./mongodb-messages.ts";

/** A command's document, as the driver sent it. A document sequence becomes an array under the sequence's name. */
export type Command = Readonly<Document>;

/** The fields of a reply, added to `{ ok: 1 }`, or a fault; see {@link Answers}. */
export type Answer = Document | "close" | "silence";

/**
 * Functions that return the reply to a command, by command name. `close` resets the connection instead of replying;
 * `silence` sends no reply. `address` is the server's `host:port`.
 */
export type Answers = Readonly<Record<string, (command: Command, address: string) => Answer | Promise<Answer>>>;

/** Starts a fake database and creates a client for it; the end of the test closes both. */
export async function openFakeDatabase(answers: Answers = {}, options: MongoClientOptions = {}) {
  const database = await startFakeDatabase(answers);
  const client = new MongoClient(database.uri, options);
  onTestFinished(async () => {
    await client.close();
    await database[Symbol.asyncDispose]();
  });
  return { ...database, client };
}

/** A running fake database; disposing of this object stops it. */
export type FakeDatabase = Awaited<ReturnType<typeof startFakeDatabase>>;

/**
 * Starts a server that speaks MongoDB's wire protocol and sends scripted replies, such as errors during an election,
 * write-concern errors or the `hello` reply of a sharded cluster. It claims to be the primary of a replica set and
 * stores nothing.
 *
 * Without a scripted reply, `find`, `aggregate` and `listCollections` find nothing and any other command succeeds. To
 * script a sequence, shift the replies from an array.
 *
 * @param answers such as `{ commitTransaction: () => failure(189, "PrimarySteppedDown") }`; `hello` also applies to its
 * legacy name, `isMaster`
 */
export async function startFakeDatabase(answers: Answers = {}) {
  const commands: Command[] = [];
  const sockets = new Set<Socket>();
  let address = "";
  const answer = async (command: Command): Promise<Answer> => {
    const name = nameOf(command);
    if (name === "hello") return (await answers.hello?.(command, address)) ?? helloOf(address);
    commands.push(command);
    const reply = (await answers[name]?.(command, address)) ?? {};
    return cursorCommands.has(name) ? withCursor(reply) : reply;
  };
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    const handle = async (message: Buffer) => {
      const reply = await answer(commandOf(message));
      if (reply === "close") socket.resetAndDestroy();
      else if (reply !== "silence") socket.write(encodeReply(message, { ok: 1, ...reply }));
    };
    onMessage(socket, (message) => void handle(message));
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  address = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return {
    uri: `mongodb://${address}/registry`,
    commands,
    names: () => commands.map(nameOf),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
}

/** Returns the reply to a command that fails. @param labels such as `TransientTransactionError` */
export function failure(code: number, codeName: string, ...labels: string[]): Document {
  return { ok: 0, code, codeName, errmsg: codeName, ...(labels.length > 0 && { errorLabels: labels }) };
}

/** Returns the `hello` reply of the only member, and thus primary, of a replica set with MongoDB 8.0. */
export function helloOf(address: string): Document {
  return {
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    setName: "rs0",
    setVersion: 1,
    hosts: [address],
    primary: address,
    me: address,
    electionId: new BSON.ObjectId("7fffffff0000000000000001"),
    minWireVersion: 0,
    maxWireVersion: 25,
    logicalSessionTimeoutMinutes: 30,
    localTime: new Date(),
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
  };
}

const cursorCommands: ReadonlySet<string> = new Set(["find", "aggregate", "listCollections"]);

function nameOf(command: Command): string {
  const [name = ""] = Object.keys(command);
  return name.toLowerCase() === "ismaster" ? "hello" : name;
}

function withCursor(reply: Answer): Answer {
  if (typeof reply === "string" || reply.ok === 0) return reply;
  return { cursor: { id: BSON.Long.ZERO, ns: "registry.fake", firstBatch: [] }, ...reply };
}

// Header of each message: length, request id, id of the request that it answers, operation code; 4 bytes each.
// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const headerBytes = 16;
const requestIdAt = 4;
const opCodeAt = 12;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

/** Decodes a command from a message of the wire protocol. @param options of decoding; default: those of the driver */
export function commandOf(message: Buffer, options: BSON.DeserializeOptions = {}): Command {
  if (message.readInt32LE(opCodeAt) === opQuery) {
    // After the header: flags, the collection's name with its terminator, skip and limit.
    const nameEnd = message.indexOf(0, headerBytes + 4);
    return documentAt(message, nameEnd + 9, options);
  }
  let command: Document = {};
  let at = headerBytes + 4;
  while (at < message.length) {
    const isSequence = message[at] === 1;
    const size = message.readInt32LE(at + 1);
    if (isSequence) command = { ...command, ...sequenceAt(message, { start: at + 5, end: at + 1 + size }, options) };
    else command = { ...documentAt(message, at + 1, options), ...command };
    at += 1 + size;
  }
  return command;
}

function sequenceAt(
  message: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  options: BSON.DeserializeOptions,
): Document {
  const nameEnd = message.indexOf(0, start);
  const documents: Document[] = [];
  for (let at = nameEnd + 1; at < end; at += message.readInt32LE(at)) documents.push(documentAt(message, at, options));
  return { [message.toString("latin1", start, nameEnd)]: documents };
}

function documentAt(message: Buffer, at: number, options: BSON.DeserializeOptions): Document {
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)), options);
}

function encodeReply(request: Buffer, reply: Document): Buffer {
  const isQuery = request.readInt32LE(opCodeAt) === opQuery;
  // OP_REPLY: flags, cursor id (8 bytes), position and count, then the document. OP_MSG: flags, kind of the section.
  const prefix = Buffer.alloc(isQuery ? 20 : 5);
  if (isQuery) prefix.writeInt32LE(1, 16);
  const body = Buffer.concat([prefix, BSON.serialize(reply)]);
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(headerBytes + body.length, 0);
  header.writeInt32LE(request.readInt32LE(requestIdAt), 8);
  header.writeInt32LE(isQuery ? opReply : opMsg, opCodeAt);
  return Buffer.concat([header, body]);
}
