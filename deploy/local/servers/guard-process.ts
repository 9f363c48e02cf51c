import { spawn } from "node:child_process";

// Blocks until stdin closes, which happens when the Node process exits; then stops the process with the id `$1`.
const script = `
trap '' INT TERM HUP
read -r line
kill -TERM "$1" 2>/dev/null || exit 0
for second in 1 2 3 4 5 6 7 8 9 10; do
  sleep 1
  kill -0 "$1" 2>/dev/null || exit 0
done
kill -KILL "$1" 2>/dev/null`;

/**
 * Ensures that the process `pid` is stopped when this process exits, even if SIGKILL ends this process. A POSIX shell
 * waits for the exit, so processes are not guarded on Windows.
 *
 * @returns a function that ends the guard; call it when the process `pid` has exited
 */
export function guardProcess(pid: number): () => void {
  if (process.platform === "win32") return () => undefined;
  const guard = spawn("sh", ["-c", script, "guard", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  guard.unref();
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return () => void guard.kill("SIGKILL");
}
