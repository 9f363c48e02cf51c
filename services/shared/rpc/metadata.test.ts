import { encodeBinaryHeader } from "@connectrpc/connect";
import { Metadata } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { headersOf, metadataOf } from "./metadata.ts";

test("headers survive the conversion to metadata and back", () => {
  const bytes = Uint8Array.from([0, 1, 127, 128, 255]);
  const headers = new Headers({ "x-actor": "importer", "x-data-bin": encodeBinaryHeader(bytes) });
  const metadata = metadataOf(headers);
  expect(metadata.get("x-actor")).toEqual(["importer"]);
  expect(metadata.get("x-data-bin")).toEqual([Buffer.from(bytes)]);
  expect([...headersOf(metadata)]).toEqual([...headers]);
});

test("several metadata values with the same name become one header", () => {
  const metadata = new Metadata();
  metadata.add("x-actor", "a");
  metadata.add("x-actor", "b");
  expect(headersOf(metadata).get("x-actor")).toBe("a, b");
});
