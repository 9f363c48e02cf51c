/** Vitest runs this file before each test file that uses a database server. */
import { afterEach, expect } from "vitest";
import { checkSentCommands, takeBlockingWrites, takeComparedDates } from "./sent-by-tests.ts";

checkSentCommands();

// Also fails for a command that an earlier file of this worker sent after its last test.
afterEach(() => {
  expect(takeComparedDates(), "expressions that compare dates, or calculate with them, without toMs").toEqual([]);
  expect(takeBlockingWrites(), "writes that may block a transaction forever on a stand-in").toEqual([]);
});
