import { userInfo } from "node:os";

/**
 * Returns the actor that the histories of certificates and stores show for changes by certctl: `certctl/` and the name
 * of the operating system's user, with `_` in place of each space and of each character other than printable ASCII.
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
