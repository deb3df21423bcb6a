// One prompt, by way of the official client SDK:
//
//   node walk.mjs FOLDER PROMPT KIND AGENT ARGS...
//
// Each question is answered with its first option of KIND (allow_once, ...).
// Prints what came of it as one JSON object.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [cwd, prompt, kind, ...command] = process.argv.slice(2);
const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
child.on("exit", (code, signal) => console.error(`the agent ended: ${code ?? signal}`));
const seen = { questions: [], calls: {}, text: "", stop: "" };

const app = acp.client({ name: "walk" });
app.onNotification("session/update", ({ params: { update } }) => {
  if (update.sessionUpdate === "agent_message_chunk") seen.text += update.content?.text ?? "";
  if (update.toolCallId) Object.assign((seen.calls[update.toolCallId] ??= {}), update);
});
app.onRequest("session/request_permission", ({ params }) => {
  seen.questions.push({ title: params.toolCall.title, options: params.options.map((o) => o.kind), content: params.toolCall.content });
  const option = params.options.find((o) => o.kind === kind);
  return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
});

const { agent } = app.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
const { stopReason } = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] });
seen.stop = stopReason;
child.stdin.end();
child.on("exit", (code) => {
  const told = JSON.stringify({ ...seen, calls: Object.values(seen.calls), session: sessionId, exit: code });
  process.stdout.write(told, () => process.exit(0)); // a pipe takes it in pieces
});
