import { z } from "zod";

// What the client library sends to JetStream, as far as this system uses it.

const nanosecondsPerMs = 1e6;
const durationMs = z.int().transform((nanoseconds) => nanoseconds / nanosecondsPerMs);

/** The part of a stream's configuration that the simulation observes. */
export const streamConfig = z.looseObject({
  subjects: z.array(z.string()),
  first_seq: z.int().default(1),
  duplicate_window: z.int().default(120_000 * nanosecondsPerMs),
});

/** The part of a consumer's configuration that the simulation observes. */
export const consumerConfig = z.looseObject({
  filter_subject: z.string().default(">"),
  ack_wait: z.int().default(30_000 * nanosecondsPerMs),
});

export const consumerRequest = z.object({ config: consumerConfig });

export const pullRequest = z.object({ batch: z.int().default(1), expires: durationMs.optional() });

export const messageQuery = z.object({ seq: z.int(), next_by_subj: z.string().optional() });

export const nakOptions = z.object({ delay: durationMs });

/** Converts nanoseconds of a configuration. */
export function millisecondsOf(nanoseconds: number): number {
  return nanoseconds / nanosecondsPerMs;
}

/** An error with the codes of nats-server. */
export class JetStreamError extends Error {
  readonly code: number;
  readonly errorCode: number;

  constructor(code: number, errorCode: number, description: string) {
    super(description);
    this.code = code;
    this.errorCode = errorCode;
  }
}

/** JSStreamNotFoundErr. */
export const streamNotFound = () => new JetStreamError(404, 10_059, "stream not found");
/** JSConsumerNotFoundErr. */
export const consumerNotFound = () => new JetStreamError(404, 10_014, "consumer not found");
/** JSNoMessageFoundErr. */
export const noMessageFound = () => new JetStreamError(404, 10_037, "no message found");
/** JSStreamWrongLastSequenceErrF. */
export const wrongLastSequence = (last: number) => new JetStreamError(400, 10_071, `wrong last sequence: ${last}`);
/** JSStreamDuplicateMessageConflict: a copy with the same message id is still being stored. */
export const copyBeingStored = () => new JetStreamError(400, 10_158, "duplicate message id is in process");
/** JSStreamExpectedLastSeqPerSubjectNotReady: another message of the subject is still being stored. */
export const subjectNotReady = () =>
  new JetStreamError(503, 10_164, "expected last sequence per subject temporarily unavailable");
