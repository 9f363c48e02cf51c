import { expect, test } from "vitest";
import { listenError } from "./listen-error.ts";

const systemError = (code: string) => Object.assign(new Error(`listen ${code}: not available`), { code });

test("states that the port is in use only if it is", () => {
  const cause = systemError("EADDRINUSE");
  expect(listenError("127.0.0.1:80", cause)).toEqual(
    new Error("cannot listen on 127.0.0.1:80: the port is in use", { cause }),
  );
});

test.each([
  [systemError("EADDRNOTAVAIL"), "EADDRNOTAVAIL"],
  // grpc-js states the codes only in its message.
  [new Error("No address added out of total 1 resolved errors: [bind EACCES 127.0.0.1:80]"), "EACCES"],
  [new Error("Name resolution failed"), "Name resolution failed"],
])("otherwise states the system's code, or else the cause, of %s", (cause, reason) => {
  expect(listenError("127.0.0.1:80", cause).message).toBe(`cannot listen on 127.0.0.1:80 (${reason})`);
});
