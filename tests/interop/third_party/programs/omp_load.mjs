// omp's own loader of a session file, and what it makes of the history before it is sent; Bun runs it.
// A row has the `path` of a session file, which is not changed. Printed are the messages as they would be sent.
import { createInterface } from 'node:readline';

const own = name => import(`${process.env.NODE_PATH}/@oh-my-pi/${name}.ts`);
const { loadSessionFile } = await own('pi-coding-agent/src/session/session-loader');
const { migrateToCurrentVersion } = await own('pi-coding-agent/src/session/session-migrations');
const { buildSessionContext } = await own('pi-coding-agent/src/session/session-context');
const { convertToLlm } = await own('pi-coding-agent/src/session/messages');
const { transformMessages } = await own('pi-ai/src/providers/transform-messages');

const model = { provider: 'fake', api: 'openai-completions', id: 'fake-1', compat: {} };

async function sent(path) {
  const { entries, invalidHeader } = await loadSessionFile(path);
  if (invalidHeader) throw new Error('the session header is missing or malformed');
  migrateToCurrentVersion(entries);
  const { messages } = buildSessionContext(entries.filter(entry => entry.type !== 'session'));
  return transformMessages(convertToLlm(messages), model);
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify({ messages: await sent(JSON.parse(line).path) }));
  } catch (error) {
    console.log(JSON.stringify({ error: `${error.name}: ${error.message}` }));
  }
}
process.exit(0);
