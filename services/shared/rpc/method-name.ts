import type { DescMethod } from "@bufbuild/protobuf";

/** Returns a method's name as it appears in paths, logs and metrics: `package.Service/Method`. */
export function methodName({ parent, name }: Pick<DescMethod, "parent" | "name">): string {
  return `${parent.typeName}/${name}`;
}
