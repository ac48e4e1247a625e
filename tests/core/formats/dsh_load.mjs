// Restores a compressed log by the installed packages of DeepSeek Harness: node dsh_load.mjs NODE_MODULES LOG
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, log] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(folder, '@deepseek-ai', name, 'lib', 'index.js')));
const { JsonlSessionPersistence } = await load('dsh-session-persistence-jsonl');
const { Session, interruptedTurnClosers } = await load('dsh-session');
const reader = Object.create(JsonlSessionPersistence.prototype);
const { meta, events } = await reader.readZstdPrefix(readFileSync(log));
const closers = interruptedTurnClosers(events);
const session = Session.fromRestore(meta.id, structuredClone([...events, ...closers]), meta);
console.log(JSON.stringify({ events, closers: closers.map((each) => each.type), messages: session.deriveMessages() }));
