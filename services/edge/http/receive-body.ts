import type { IncomingMessage, ServerResponse } from "node:http";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { after } from "#shared/time/after.ts";
import { HttpStatusError } from "./errors.ts";

interface BodyLimits {
  /** What the body is, for the messages of errors. */
  readonly named: "body" | "form";
  readonly bytesMax: number;
  /** Time to receive the body. Default: that of every request. */
  readonly receiveMs?: number;
  /** The memory that the body shares with others; see SharedBudget. */
  readonly room: Disposable & { take(bytes: number): boolean };
  readonly tooLarge: () => Error;
}

// A chunk is an object with memory of its own, and a client chooses how many bytes a chunk has. A few small ones are
// usual, such as the last.
const [smallBytes, smallMax] = [256, 16];

/** Returns a function that returns how many bytes of memory each further chunk of a body takes up. */
export function chunkMemory(): (chunk: Uint8Array) => number {
  let small = 0;
  return ({ length }) => (length < smallBytes && ++small > smallMax ? smallBytes : length);
}

/** Returns the media type of a request's body, without parameters; undefined if the request states none. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  return headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
}

/**
 * Receives a body. Must be called before any middleware that waits: the server discards the parts of a body that arrive
 * before. A complete body counts until its request has been handled or the client disconnects.
 *
 * The promise rejects with `tooLarge` for a body over `bytesMax`, with HttpStatusError 408 for one that takes longer
 * than `receiveMs`, with ServiceError `unavailable` if there is no room, and with `bad_request` for an incomplete body.
 */
export function receiveBody(request: IncomingMessage, response: ServerResponse, limits: BodyLimits): Promise<Buffer> {
  const { named, bytesMax, receiveMs, room, tooLarge } = limits;
  const received = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const memoryOf = chunkMemory();
    let state: "receiving" | "received" | "over" = "receiving";
    const release = () => {
      if (state === "over") return;
      // Set first: the rest of a refused body may still arrive, and must be neither stored nor counted.
      state = "over";
      limit?.[Symbol.dispose]();
      chunks.length = 0;
      room[Symbol.dispose]();
    };
    const refuse = (error: Error) => {
      if (state !== "receiving") return;
      release();
      reject(error);
    };
    const limit = receiveMs === undefined ? undefined : after(receiveMs, () => refuse(tooSlow(named, receiveMs)));
    request.on("data", (chunk: Buffer) => {
      if (state !== "receiving") return;
      if (length + chunk.length > bytesMax) return refuse(tooLarge());
      if (!room.take(memoryOf(chunk))) return refuse(tooManyReceived(named === "form" ? "forms" : "messages"));
      length += chunk.length;
      chunks.push(chunk);
    });
    request.once("end", () => {
      if (state !== "receiving") return;
      state = "received";
      limit?.[Symbol.dispose]();
      const body = Buffer.concat(chunks);
      chunks.length = 0;
      resolve(body);
    });
    const end = () => refuse(badRequest(named, "was not received in full; send it again"));
    // The server takes the response from a connection whose input is invalid or ends too soon: it never closes then.
    request.once("close", end);
    response.once("close", () => {
      end();
      release();
    });
  });
  // Prevents an unhandled rejection if no handler uses the body. A handler that awaits it still gets the error.
  received.catch(() => undefined);
  return received;
}

function tooSlow(named: BodyLimits["named"], receiveMs: number): HttpStatusError {
  return new HttpStatusError(408, `The ${named} did not arrive within ${receiveMs / 1_000} seconds.`);
}

/** Returns the error for a request for which there is no memory or no place. */
export function tooManyReceived(what: "files" | "forms" | "messages"): ServiceError {
  return new ServiceError("unavailable", `Too many ${what} are being received. Try again in a few seconds.`);
}
