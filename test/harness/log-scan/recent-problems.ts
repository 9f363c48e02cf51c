const linesMax = 30;
const problem = /"level":[4-6]0|"shed":/;
const lines: string[] = [];

/** Keeps a line of a service's log, the last 30, if it is a warning, an error, or of a call refused because of load. */
export function noteProblem(line: string): void {
  if (!problem.test(line)) return;
  lines.push(line);
  if (lines.length > linesMax) lines.shift();
}

/** Returns the lines that were kept since the last call, by all services in this process. */
export function takeProblems(): string[] {
  return lines.splice(0);
}
