import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";
import { isEmailAddress } from "#shared/email/email-address.ts";
import { peerDomain } from "#shared/rpc/peer-names.ts";
import { parseIsoTime } from "#shared/time/iso-time.ts";

/** Parses a whole number from 1 to 999,999,999. @throws InvalidArgumentError */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1 to 999999999.");
  return Number(text);
}

/** Checks the syntax of an address, `host:port`; the empty string selects the default. @throws InvalidArgumentError */
export function parseAddress(text: string): string {
  if (text !== "" && !/^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(text))
    throw new InvalidArgumentError("Give an address such as registry.example.com:9090.");
  return text;
}

/** Checks the syntax of the parent domain of gRPC certificates' names. @throws InvalidArgumentError */
export function parsePeerDomain(text: string): string {
  if (!peerDomain.test(text))
    throw new InvalidArgumentError(
      "Give a domain in lower case, of at most 200 characters, such as registry.internal.",
    );
  return text;
}

/** Parses a time in a format that {@link parseIsoTime} accepts. @throws InvalidArgumentError */
export function parseTime(text: string): Timestamp {
  const ms = parseIsoTime(text);
  if (ms === undefined) throw new InvalidArgumentError("Give a time such as 2026-11-21T08:00:00Z.");
  return timestampFromMs(ms);
}

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Parses a duration: a whole number with the unit s, m, h or d, such as `24h`, or `0`.
 *
 * @returns seconds
 * @throws InvalidArgumentError
 */
export function parseDuration(text: string): number {
  const [, count, unit = "s"] = /^(0|[1-9]\d{0,8}(?=[smhd]))([smhd])?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("Give a duration such as 90m, 24h or 7d, or 0.");
  return Number(count) * (secondsPerUnit[unit] ?? 1);
}

/** The order filter of a FindCertificates request. */
export type OrderFilter = { readonly case: "orderName" | "orderId"; readonly value: string };

/** Parses an order name that begins with `#`, or an order id of 1 to 20 digits. @throws InvalidArgumentError */
export function parseOrder(text: string): OrderFilter {
  if (/^#./.test(text)) return { case: "orderName", value: text };
  if (/^\d{1,20}$/.test(text)) return { case: "orderId", value: text };
  throw new InvalidArgumentError(
    "Give an order name in quotation marks, such as '#1001', or an order id of 1 to 20 digits.",
  );
}

/** Checks that the text is the id of a certificate or a serial number. @throws InvalidArgumentError */
export function parseCertificate(text: string): string {
  if (!/^(crt_\w+|\d{1,20})$/.test(text))
    throw new InvalidArgumentError("Give a certificate's id, crt_…, or its serial number of 1 to 20 digits.");
  return text;
}

/** Parses a serial number: 1 to 20 digits. @throws InvalidArgumentError */
export function parseSerial(text: string): string {
  if (!/^\d{1,20}$/.test(text)) throw new InvalidArgumentError("Give a serial number of 1 to 20 digits.");
  return text;
}

/** Checks the syntax of an e-mail address and returns it unchanged. @throws InvalidArgumentError */
export function parseEmail(text: string): string {
  if (!isEmailAddress(text)) throw new InvalidArgumentError("Give one e-mail address such as ada@example.com.");
  return text;
}
