import { z } from "zod";

const receivedLine = z.object({
  receivedAt: z.iso.datetime(),
  deliveryId: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/** A webhook message as the demo receiver has logged it. */
export type ReceivedLine = z.output<typeof receivedLine>;

/** Parses a line of the demo receiver's log. @returns undefined for any other format */
export function parseReceivedLine(line: string): ReceivedLine | undefined {
  try {
    return receivedLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
