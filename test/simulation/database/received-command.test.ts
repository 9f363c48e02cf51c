import { Binary, Long, ObjectId } from "mongodb";
import { OpMsgRequest } from "mongodb/lib/cmap/commands.js";
import { expect, test } from "vitest";
import { commandOf } from "../../harness/fake-database.ts";
import { decoding } from "./bson-value.ts";
import { receivedCommand } from "./received-command.ts";

const values = {
  find: "items",
  texts: ["", "ä€😀", "\ud800"],
  numbers: [0, -0, 1, -1, 2 ** 31, 2 ** 53, 0.5, Number.NaN, Number.POSITIVE_INFINITY],
  longs: [1n, -(2n ** 63n), Long.fromNumber(7)],
  nothing: [null, undefined],
  missing: undefined,
  flags: [true, false],
  at: new Date(5),
  id: new ObjectId("0123456789abcdef01234567"),
  bytes: [new Binary(Buffer.from("binary"), 5), Buffer.from("buffer"), new Uint8Array([1, 2])],
  pattern: /a+/i,
  map: new Map([["field", { inner: [{}] }]]),
  nested: { $or: [{ a: { $lte: new Date(6) }, b: undefined }] },
};

test.for([true, false])(
  "a command is received as its encoding is decoded, with ignoreUndefined %s",
  (ignoreUndefined) => {
    const message = new OpMsgRequest("registry", { ...values }, { ignoreUndefined });
    const received = receivedCommand(message);
    expect(received).toStrictEqual(commandOf(Buffer.concat(message.toBin()), decoding));
  },
);

test("what the sender changes later does not change a command", () => {
  const [at, bytes] = [new Date(5), Buffer.from("a")];
  const received = receivedCommand(new OpMsgRequest("registry", { at, bytes: new Binary(bytes) }, {}));
  at.setTime(6);
  bytes.fill("b");
  expect(received).toMatchObject({ at: new Date(5), bytes: new Binary(Buffer.from("a")) });
});
