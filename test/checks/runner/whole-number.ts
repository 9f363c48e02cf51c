/** Reads the value of a command line's option. @throws Error naming the option, with how the command is used */
export function wholeNumber(name: string, text: string, min: number, max: number, usage: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new Error(`--${name} ${text} is not a whole number from ${min} to ${max}.\n${usage}`);
  return value;
}
