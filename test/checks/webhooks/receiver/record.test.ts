import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ReceiverRecord, readRecord } from "./record.ts";

function openRecord() {
  const folder = mkdtempSync(path.join(tmpdir(), "receiver-record-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "record.jsonl");
  const record = new ReceiverRecord(file);
  return { record, read: () => readRecord(readFileSync(file, "utf8")) };
}

function request(id: string, body = "größe\0"): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST /${id} HTTP/1.1\r\nX-Service-Delivery: ${id}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

test("requests come back byte for byte, in the order in which their last bytes came", () => {
  const { record, read } = openRecord();
  const slow = request("slow");
  record.addBytes(1, slow.subarray(0, 30));
  record.addBytes(2, request("fast", ""));
  record.addReply(2, "204");
  record.addBytes(1, slow.subarray(30, slow.length - 1));
  record.addBytes(1, slow.subarray(slow.length - 1));
  record.addReply(1, "hang");
  expect(read()).toMatchObject([
    { connection: 2, method: "POST", path: "/fast", isComplete: true, reply: "204" },
    { connection: 1, path: "/slow", body: Buffer.from("größe\0"), isComplete: true, reply: "hang" },
  ]);
});

test("what is left of an incomplete request is told, with its id as soon as its head is there", () => {
  const { record, read } = openRecord();
  record.addBytes(1, request("torn").subarray(0, -1));
  record.addBytes(2, Buffer.from("POST /x"));
  record.addBytes(3, request("whole"));
  const [whole, torn, beginning] = read();
  expect(whole).toMatchObject({ path: "/whole", isComplete: true, reply: undefined });
  expect(torn).toMatchObject({ isComplete: false, reply: undefined });
  expect(torn?.headers.get("x-service-delivery")).toBe("torn");
  expect(beginning).toMatchObject({ isComplete: false, bytes: 7 });
});

test("a second request on one connection is a request of its own", () => {
  const { record, read } = openRecord();
  record.addBytes(1, Buffer.concat([request("a"), request("b")]));
  expect(read().map(({ path: name }) => name)).toEqual(["/a", "/b"]);
});
