import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

/** Formats a time as ISO 8601 in UTC with milliseconds. @param missing the text for an unset time */
export function timestampText(time: Timestamp | undefined, missing = ""): string {
  return time === undefined ? missing : timestampDate(time).toISOString();
}

/** Formats a time for JSON as {@link timestampText} does, but returns null for an unset time. */
export function timeOrNull(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampText(time);
}
