/** Vitest runs this file before each test file that uses a database server. */
import { afterEach, beforeEach, expect } from "vitest";
import { takeProblems } from "../log-scan/recent-problems.ts";
import { checkSentCommands, takeBlockingWrites, takeComparedDates } from "./sent-by-tests.ts";

checkSentCommands();

beforeEach(({ onTestFailed }) => {
  takeProblems();
  // Says why a service refused what the test expected, which the answer does not.
  onTestFailed(() => {
    for (const line of takeProblems()) process.stderr.write(line);
  });
});

// Also fails for a command that an earlier file of this worker sent after its last test.
afterEach(() => {
  expect(takeComparedDates(), "expressions that compare dates, or calculate with them, without toMs").toEqual([]);
  expect(takeBlockingWrites(), "writes that may block a transaction forever on a stand-in").toEqual([]);
});
