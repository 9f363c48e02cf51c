import { userInfo } from "node:os";

/**
 * Returns the actor that the histories of certificates and stores show for changes by certctl: `certctl/` and the
 * operating system's user, in printable ASCII as a header requires.
 *
 * @param userName default: the user of the process
 */
export function actorName(userName: () => string = () => userInfo().username): string {
  return `certctl/${nameOrNumber(userName).replace(/[^\x21-\x7e]/g, "_")}`;
}

function nameOrNumber(userName: () => string): string {
  try {
    return userName();
  } catch {
    // In a container the process may run as a user id without a passwd entry.
    return String(process.getuid?.() ?? "unknown");
  }
}
