/** The receiver: answers every message at once, and remembers when it came. */
import { answerParent } from "../process/answer-parent.ts";
import { receiverRequest } from "./messages.ts";
import { startReceiver } from "./start-receiver.ts";

let receiver: Awaited<ReturnType<typeof startReceiver>> | undefined;

answerParent(async (message) => {
  const request = receiverRequest.parse(message);
  if (request.kind === "collect") return receiver?.collect(request.count);
  receiver = await startReceiver(request);
  return { port: receiver.port };
});
