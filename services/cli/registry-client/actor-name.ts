import { userInfo } from "node:os";

/**
 * Returns the actor that histories show for changes by certctl: `certctl/` and the user's name in the operating system,
 * with `_` in place of spaces and of characters other than printable ASCII. The user id replaces a missing name. The
 * registry does not verify the name.
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
