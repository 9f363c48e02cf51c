import { expect, test } from "vitest";
import { resultOf } from "../../services/registry/diagnostics/check.ts";
import { serverChecks } from "../../services/registry/mongo/opening/server-checks.ts";
import { type Answer, failure, openFakeDatabase } from "../harness/fake-database.ts";

/** Runs the check of the right to end sessions. @returns its result, and the sessions that it asked to end */
async function checkSessions(answer: Answer) {
  const { client, commands } = await openFakeDatabase({ killSessions: () => answer });
  const check = serverChecks.find(({ name }) => name === "the server ends the sessions of a killed replica");
  if (check === undefined) throw new Error("there is no such check");
  const { result, seen } = await resultOf(check, client);
  return { result, seen, remedy: check.remedy, asked: commands.flatMap(({ killSessions = [] }) => killSessions) };
}

test("says that a user can end only its own sessions, and asks for the end of one that does not exist", async () => {
  const { result, seen, asked } = await checkSessions({});
  expect({ result, seen }).toEqual({
    result: "passed",
    seen: "killSessions works for the sessions of this database user; those of a replaced user outlive it",
  });
  // An empty list would end the sessions of all clients.
  expect(asked).toHaveLength(1);
});

test.each([
  [13, "Unauthorized"],
  [59, "CommandNotFound"],
  [115, "CommandNotSupported"],
  [8_000, "AtlasError"],
])(
  "fails on a server that refuses killSessions with code %i (%s), and states the consequence",
  async (code, codeName) => {
    const { result, seen, remedy } = await checkSessions(failure(code, codeName));
    expect({ result, seen }).toEqual({ result: "failed", seen: codeName });
    expect(remedy).toContain("MongoDB Atlas M0 and Flex");
    expect(remedy).toContain("stay locked for transactionLifetimeLimitSeconds");
  },
);
