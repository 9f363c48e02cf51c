import { type Document, MongoServerError } from "mongodb";
import { type DatabaseCheck, failed, passed, skipped } from "./database-check.ts";

const versionMin = 7;
const lifetimeMaxSeconds = 15;
const membersMin = 3;

/** Checks of the server's version and configuration. */
export const serverChecks: readonly DatabaseCheck[] = [
  {
    name: `the server is MongoDB ${versionMin}.0 or later`,
    remedy: `Upgrade the server to MongoDB ${versionMin}.0 or later.`,
    run: async ({ client }) => {
      const { version } = await client.db("admin").command({ buildInfo: 1 });
      return Number.parseInt(version, 10) >= versionMin ? passed(version) : failed(version);
    },
  },
  {
    name: "the server is a member of a replica set",
    remedy: "Connect to the members of a replica set, not to a sharded cluster (mongos) or a standalone server.",
    run: async ({ client }) => {
      const { setName, msg, hosts } = await client.db("admin").command({ hello: 1 });
      if (msg === "isdbgrid") return failed("a mongos");
      return setName === undefined ? failed("a standalone server") : passed(`${setName}, ${membersText(hosts)}`);
    },
  },
  {
    name: `the lifetime limit of transactions is at most ${lifetimeMaxSeconds} s`,
    remedy: `Set the server's parameter transactionLifetimeLimitSeconds to ${lifetimeMaxSeconds} or less.`,
    run: async ({ client }) => {
      const name = "transactionLifetimeLimitSeconds";
      const found = await parameter(() => client.db("admin").command({ getParameter: 1, [name]: 1 }), name);
      if (found === undefined) return skipped("the server does not have the parameter, or the user may not read it");
      return found <= lifetimeMaxSeconds ? passed(`${name} ${found}`) : failed(`${name} ${found}`);
    },
  },
];

function membersText(hosts: unknown): string {
  const count = Array.isArray(hosts) ? hosts.length : 1;
  return count >= membersMin ? `${count} members` : `${count} member(s); use at least ${membersMin} in production`;
}

async function parameter(read: () => Promise<Document>, name: string): Promise<number | undefined> {
  try {
    const value: unknown = (await read())[name];
    return typeof value === "number" ? value : undefined;
  } catch (error) {
    if (error instanceof MongoServerError) return undefined;
    throw error;
  }
}
