import { userInfo } from "node:os";

/**
 * What certctl calls itself in a certificate's history: `certctl/` and the user of the operating system, in the characters
 * that a header can carry.
 *
 * @param userName default: the user that the process runs as, or its number where the system knows no name for it
 */
export function actorName(userName: () => string = () => userInfo().username): string {
  return `certctl/${nameOr(userName).replace(/[^\x21-\x7e]/g, "_")}`;
}

function nameOr(userName: () => string): string {
  try {
    return userName();
  } catch {
    // A container may run as a number that its system has no entry for.
    return String(process.getuid?.() ?? "unknown");
  }
}
