import { randomUUID } from "node:crypto";
import { type Document, MongoClient, MongoServerError } from "mongodb";
import { inject, type TestContext } from "vitest";
import { guarantees } from "../../services/registry/mongo/opening/connection-string.ts";
import { failure, openFakeDatabase } from "../harness/fake-database.ts";
import { openTestDatabase } from "../harness/test-database.ts";

/** A fault of one command. */
interface Fault {
  readonly command: string;
  readonly code: number;
  readonly codeName: string;
  /** The labels that MongoDB adds in a transaction; a real server chooses them itself. */
  readonly labels?: readonly string[];
  /** How many times the command fails; `always`: until the end of the test. */
  readonly times: number | "always";
}

/** A database whose commands fail on request. */
export interface FaultyDatabase {
  readonly client: MongoClient;
  /** Whether MongoDB itself fails the commands and stores what succeeds; otherwise, replies are scripted. */
  readonly isReal: boolean;
  fail(fault: Fault): Promise<void>;
}

const required = process.env.MONGODB_FAIL_POINTS === "required";

/**
 * Opens a database that fails commands by MongoDB's fail point `failCommand`, which needs the server parameter
 * `enableTestCommands`. Without it, opens a fake database with scripted replies, unless MONGODB_FAIL_POINTS is
 * `required`.
 */
export async function openFaultyDatabase(context: TestContext): Promise<FaultyDatabase> {
  const serverUrl = inject("databaseServerUrl");
  const probe = new MongoClient(serverUrl, { serverSelectionTimeoutMS: 10_000 });
  try {
    await probe.db("admin").command({ configureFailPoint: "failCommand", mode: "off" });
  } catch (error) {
    if (required || !(error instanceof MongoServerError)) throw error;
    return openFake();
  } finally {
    await probe.close();
  }
  return openReal(context);
}

async function openReal(context: TestContext): Promise<FaultyDatabase> {
  const database = await openTestDatabase(context.onTestFinished);
  // The fail point applies only to commands of this client.
  const appName = `faults ${randomUUID()}`;
  const client = new MongoClient(database.uri, { appName, ...guarantees });
  const configure = (mode: Document | string, data: Document = {}) =>
    database.client.db("admin").command({ configureFailPoint: "failCommand", mode, data });
  context.onTestFinished(async () => {
    await configure("off");
    await client.close();
  });
  // A collection cannot be created beside a fault of the command that creates it.
  await database.db.createCollection("faults");
  return {
    client,
    isReal: true,
    fail: async ({ command, code, times }) => {
      await configure(times === "always" ? "alwaysOn" : { times }, {
        failCommands: [command],
        errorCode: code,
        appName,
      });
    },
  };
}

async function openFake(): Promise<FaultyDatabase> {
  let fault: Fault | undefined;
  let left = 0;
  const answer = (command: string) => () => {
    if (fault?.command !== command || left === 0) return {};
    left--;
    return failure(fault.code, fault.codeName, ...(fault.labels ?? []));
  };
  const commands = ["insert", "find", "commitTransaction"];
  const answers = Object.fromEntries(commands.map((command) => [command, answer(command)]));
  const { client } = await openFakeDatabase(answers, guarantees);
  return {
    client,
    isReal: false,
    fail: async (next) => {
      fault = next;
      left = next.times === "always" ? Number.POSITIVE_INFINITY : next.times;
    },
  };
}
