// OpenClaw's own repair of a session file, its loader, and what it makes of the history before it is sent.
// A row has the `path` of a session file, which may be rewritten. Printed are the messages as they would be sent.
import { readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const dist = `${process.env.NODE_PATH}/openclaw/dist/`;

// The functions are in bundles whose names and exports change from build to build.
async function own(name) {
  for (const file of readdirSync(dist).filter(file => file.endsWith('.js'))) {
    const text = readFileSync(dist + file, 'utf8');
    const found = new RegExp(`\\b${name} as (\\w+)`).exec(text.slice(text.lastIndexOf('export {')));
    if (found && new RegExp(`(function|class) ${name}\\b|var ${name} = class`).test(text)) {
      return (await import(pathToFileURL(dist + file).href))[found[1]];
    }
  }
  throw new Error(`${name} is not exported`);
}

const model = { provider: 'fake', modelApi: 'openai-completions', modelId: 'fake-1' };
const [repair, SessionManager, sanitize, validate, convert] = await Promise.all(
  ['repairSessionFileIfNeeded', 'SessionManager', 'sanitizeSessionHistory', 'validateReplayTurns', 'convertToLlm'].map(own),
);

async function sent(path) {
  await repair({ sessionFile: path });
  const sessionManager = SessionManager.open(path);
  const { messages } = sessionManager.buildSessionContext();
  const shared = { ...model, sessionManager, sessionId: 'session', model: { id: model.modelId } };
  return convert(await validate({ ...shared, messages: await sanitize({ ...shared, messages }) }));
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify({ messages: await sent(JSON.parse(line).path) }));
  } catch (error) {
    console.log(JSON.stringify({ error: `${error.name}: ${error.message}` }));
  }
}
process.exit(0);
