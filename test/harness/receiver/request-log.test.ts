import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../files/temporary-folder.ts";
import { RequestLog } from "./request-log.ts";
import { RequestLogWriter } from "./request-log-writer.ts";

async function openLog() {
  const folder = await openTemporaryFolder("request-log", onTestFinished);
  const file = join(folder, "requests.jsonl");
  const writer = new RequestLogWriter(file);
  const read = () => {
    const log = new RequestLog();
    for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) log.add(line);
    return [...log.complete, ...log.incomplete];
  };
  return { writer, read };
}

function request(id: string, body = "größe\0"): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST /${id} HTTP/1.1\r\nX-Service-Delivery: ${id}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

test("returns complete requests byte for byte, in the order in which their last bytes arrived", async () => {
  const { writer, read } = await openLog();
  const slow = request("slow");
  writer.addBytes(1, slow.subarray(0, 30));
  writer.addBytes(2, request("fast", ""));
  writer.addReply(2, "204");
  writer.addBytes(1, slow.subarray(30, slow.length - 1));
  writer.addBytes(1, slow.subarray(slow.length - 1));
  writer.addReply(1, "hang");
  const whole = { isComplete: true };
  expect(read()).toMatchObject([
    { connection: 2, method: "POST", path: "/fast", ...whole, reply: "204" },
    { connection: 1, path: "/slow", body: Buffer.from("größe\0"), ...whole, reply: "hang" },
  ]);
});

test("returns incomplete requests last, with their headers once the head is complete", async () => {
  const { writer, read } = await openLog();
  writer.addBytes(1, request("torn").subarray(0, -1));
  writer.addBytes(2, Buffer.from("POST /x"));
  writer.addBytes(3, request("whole"));
  const [whole, torn, beginning] = read();
  expect(whole).toMatchObject({ path: "/whole", isComplete: true, reply: undefined });
  expect(torn).toMatchObject({ isComplete: false, reply: undefined });
  expect(torn?.headers.get("x-service-delivery")).toBe("torn");
  expect(beginning).toMatchObject({ isComplete: false, bytes: 7 });
});

test("separates two requests on one connection", async () => {
  const { writer, read } = await openLog();
  writer.addBytes(1, Buffer.concat([request("a"), request("b")]));
  expect(read().map(({ path }) => path)).toEqual(["/a", "/b"]);
});
