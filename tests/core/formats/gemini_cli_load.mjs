// Loads a chat by the functions of an installed @google/gemini-cli: node gemini_cli_load.mjs PACKAGE CHAT
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, chat] = process.argv.slice(2);
const bundle = path.join(folder, 'bundle');
for (const name of readdirSync(bundle).filter((each) => /^core-.*\.js$/.test(each))) {
  const core = await import(pathToFileURL(path.join(bundle, name)));
  if (core.loadConversationRecord && core.convertSessionToClientHistory) {
    const record = await core.loadConversationRecord(chat);
    console.log(JSON.stringify(record && core.convertSessionToClientHistory(record.messages)));
    process.exit(0);
  }
}
process.exit(3);
