import { type MongoClient, MongoServerError } from "mongodb";
import { clockSkewMs } from "#shared/time/clock-skew.ts";
import { type Check, failed, passed, skipped } from "../../diagnostics/check.ts";
import { sessionRefusal } from "./replica-heartbeat.ts";
import { lifetimeMaxSeconds, lifetimeParameter, readLifetime } from "./transaction-lifetime.ts";

const versionMin = 7;
const membersMin = 3;
const clockSkewMaxMs = 2_000;

/** Checks of a MongoDB server's version, configuration, permissions and clock. They write nothing. */
export const serverChecks: readonly Check<MongoClient>[] = [
  {
    name: `the server is MongoDB ${versionMin}.0 or later`,
    remedy: `Upgrade the server to MongoDB ${versionMin}.0 or later.`,
    run: async (client) => {
      const { version } = await client.db("admin").command({ buildInfo: 1 });
      return Number.parseInt(version, 10) >= versionMin ? passed(version) : failed(version);
    },
  },
  {
    name: "the server is a member of a replica set",
    remedy: "Connect to the members of a replica set, not to a sharded cluster (mongos) or a standalone server.",
    run: async (client) => {
      const { setName, msg, hosts } = await client.db("admin").command({ hello: 1 });
      if (msg === "isdbgrid") return failed("a mongos");
      return setName === undefined ? failed("a standalone server") : passed(`${setName}, ${membersText(hosts)}`);
    },
  },
  {
    name: `the transaction lifetime limit is at most ${lifetimeMaxSeconds} s`,
    remedy: `Set the server's parameter transactionLifetimeLimitSeconds to ${lifetimeMaxSeconds} or less.`,
    run: async (client) => {
      const found = await readLifetime(client).catch((error: unknown) => {
        if (!(error instanceof MongoServerError)) throw error;
      });
      if (found === undefined)
        return skipped("the server does not have the parameter, or the user is not permitted to read it");
      return found <= lifetimeMaxSeconds
        ? passed(`${lifetimeParameter} ${found}`)
        : failed(`${lifetimeParameter} ${found}`);
    },
  },
  {
    name: "the server ends the sessions of a killed replica",
    remedy:
      "Use a server that supports killSessions: on MongoDB Atlas M0 and Flex, the stores that a killed replica was changing stay locked for transactionLifetimeLimitSeconds.",
    run: async (client) => {
      const refusal = await sessionRefusal(client);
      return refusal === undefined
        ? passed("killSessions works for the sessions of this database user; those of a replaced user outlive it")
        : failed(refusal);
    },
  },
  {
    name: `the clocks of the server and of the registry differ by at most ${clockSkewMaxMs / 1_000} s`,
    remedy: "Synchronize the clocks of both machines, for example with chrony.",
    run: async (client) => {
      const before = Date.now();
      const { localTime } = await client.db("admin").command({ hello: 1 });
      if (!(localTime instanceof Date)) return skipped("the server does not report its time");
      const skewMs = Math.abs(clockSkewMs({ from: before, to: Date.now() }, localTime.getTime()));
      return skewMs <= clockSkewMaxMs ? passed(`${skewMs} ms`) : failed(`${skewMs} ms`);
    },
  },
];

function membersText(hosts: unknown): string {
  const count = Array.isArray(hosts) ? hosts.length : 1;
  return count >= membersMin ? `${count} members` : `${count} member(s); use at least ${membersMin} in production`;
}
