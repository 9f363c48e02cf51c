import { expect, test } from "vitest";
import { z } from "zod";
import { ServiceError } from "../errors/service-error.ts";
import { errorForLog } from "./error-for-log.ts";

const email = "ada@example.com";

test("keeps type, message, code, stack and causes", () => {
  const cause = Object.assign(new TypeError("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const error = new ServiceError("unavailable", "The service is unavailable.", { cause });
  expect(errorForLog(error)).toEqual({
    type: "ServiceError",
    message: "The service is unavailable.",
    code: "unavailable",
    stack: error.stack,
    cause: { type: "TypeError", message: "connect ECONNREFUSED", code: "ECONNREFUSED", stack: cause.stack },
  });
});

test("drops properties that LoggedError does not have, because database errors contain documents", () => {
  const details = { code: 11_000, keyValue: { email }, writeErrors: [{ op: { owner: { email } } }] };
  const error = Object.assign(new Error("E11000 duplicate key"), details);
  expect(errorForLog(error)).toMatchObject({ type: "Error", code: 11_000 });
  expect(JSON.stringify(errorForLog(error))).not.toContain("ada");
});

test.each([
  [
    "the password in a URL",
    "cannot connect to nats://user:hunter2@host:4222",
    "cannot connect to nats://[hidden]@host:4222",
  ],
  ["an API key", "unknown key crk_7Qm2Zx9LkP4vTn8RbW3cYd6FhJ1sGa5E1BYktK", "unknown key [hidden]"],
  ["a listen token", "unknown token crl_7Qm2Zx9LkP4vTn8RbW3cYd6FhJ1sGa5E1BYktK", "unknown token [hidden]"],
  ["a session token", "unknown token cst_7Qm2Zx9LkP4vTn8RbW3cYd6F-hJ1sGa5E1BYktK", "unknown token [hidden]"],
  [
    "a sign-in link",
    "GET https://settings.example/sign-in/csl_7Qm2Zx9LkP4v_Tn8",
    "GET https://settings.example/sign-in/[hidden]",
  ],
  ["a signing secret", "bad secret crs_9k2m4n6p8q0r", "bad secret [hidden]"],
  ["a secret of Standard Webhooks", "bad secret whsec_c2VjcmV0LW9m-_x", "bad secret [hidden]"],
  [
    "an e-mail address",
    `Unexpected token 'a', "${email}" is not valid JSON`,
    `Unexpected token 'a', "[hidden]" is not valid JSON`,
  ],
])("hides %s in the message and the stack of a cause", (_name, message, shown) => {
  const logged = errorForLog(new Error("failed", { cause: new Error(message) }));
  expect(logged).toMatchObject({ cause: { message: shown, stack: expect.stringContaining(shown) } });
  expect(JSON.stringify(logged)).not.toMatch(/hunter2|crk_|crs_|whsec_|ada@/);
});

test("converts values that are not errors to text, and terminates when the causes form a cycle", () => {
  expect(errorForLog(`lost ${email}`)).toBe("lost [hidden]");
  expect(errorForLog({ email })).toBe("[object Object]");
  const error = new Error("first");
  error.cause = new Error("second", { cause: error });
  expect(JSON.stringify(errorForLog(error))).toContain("second");
});

test.each([9_980, 9_995, 10_480, 10_499])("shows no part of a secret at character %i of a long message", (at) => {
  const message = `${"x".repeat(at)} nats://someone:secret-words@host:4222 ${"x".repeat(1_000)}`;
  expect(errorForLog(new Error(message))).not.toMatchObject({ message: expect.stringMatching(/someone|secret/) });
});

test("truncates a long message", () => {
  const { message } = z.object({ message: z.string() }).parse(errorForLog(new Error("a".repeat(1_000_000))));
  expect(message).toHaveLength(10_001);
});
