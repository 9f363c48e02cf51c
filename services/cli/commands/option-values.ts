import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";
import { parseRfc3339 } from "#shared/time/rfc3339.ts";

/** A number of things, from 1 on. @throws InvalidArgumentError */
export function countOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It is not a number from 1 on.");
  return Number(text);
}

/** A point in time, RFC 3339. @throws InvalidArgumentError */
export function timeOf(text: string): Timestamp {
  const ms = parseRfc3339(text);
  if (ms === undefined) throw new InvalidArgumentError("It is not a time like 2026-11-21T08:00:00Z.");
  return timestampFromMs(ms);
}
