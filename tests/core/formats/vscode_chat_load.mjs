// Opens chats by the code of VS Code: node vscode_chat_load.mjs FOLDER LOG…
//
// FOLDER is made by npm i esbuild @codingame/monaco-vscode-api @codingame/monaco-vscode-chat-service-override (36.2.7 holds
// VS Code 1.128.1). A line is printed for each log: whether it opens, the errors that are logged, and its requests.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, ...logs] = process.argv.slice(2);
const { build } = createRequire(path.join(path.resolve(folder), 'x.js'))('esbuild');
const model = 'vscode/vs/workbench/contrib/chat/common/model';
const made = mkdtempSync(path.join(tmpdir(), 'vscode-chat-'));
const outfile = path.join(made, 'bundle.mjs');
await build({
	stdin: {
		resolveDir: folder,
		contents: `
			export { ChatSessionStore } from '@codingame/monaco-vscode-chat-service-override/${model}/chatSessionStore';
			export { ChatModel } from '@codingame/monaco-vscode-api/${model}/chatModel';
			export { VSBuffer } from '@codingame/monaco-vscode-api/vscode/vs/base/common/buffer';
			export { URI } from '@codingame/monaco-vscode-api/vscode/vs/base/common/uri';`,
	},
	bundle: true, outfile, format: 'esm', platform: 'node', logLevel: 'error',
	loader: Object.fromEntries(['css', 'ttf', 'svg', 'mp3', 'wasm', 'html', 'png'].map((ending) => [`.${ending}`, 'empty'])),
});
const { ChatSessionStore, ChatModel, VSBuffer, URI } = await import(pathToFileURL(outfile));
rmSync(made, { recursive: true });

const event = () => ({ dispose() { } });
async function open(log) {
	const errors = [];
	const logService = { error: (...words) => errors.push(words.join(' ')), info() { }, trace() { }, warn() { } };
	const name = path.basename(log).replace(/\.jsonl?$/, '');
	const fileService = {
		async readFile(uri) {
			if (path.extname(uri.path) !== path.extname(log)) {
				throw new Error('not found');
			}
			return { value: VSBuffer.wrap(readFileSync(log)) };
		},
	};
	const home = URI.file('/user');
	const store = new ChatSessionStore(
		fileService, { workspaceStorageHome: home }, logService, { getWorkspace: () => ({ id: 'w', folders: [{}] }) },
		{ publicLog2() { } }, { get() { } }, { onWillShutdown: event }, { defaultProfile: { globalStorageHome: home } },
		{ getValue: () => true }, { onDidEnterWorkspace: event }, {}, {},
	);
	const read = await store.readSession(name);
	let requests = null;
	if (read) {
		const chat = Object.create(ChatModel.prototype);
		Object.assign(chat, { logService, _store: { add: (x) => x } });
		requests = chat._deserialize(read).map((each) => ({
			id: each.id, text: each.message.text, metadata: each.response?.result?.metadata ?? null,
		}));
		if (read.value.pendingRequests) {
			chat._deserializePendingRequests(read.value.pendingRequests);
		}
	}
	return { opens: Boolean(read), errors, session: read?.value.sessionId ?? null, requests };
}
for (const log of logs) {
	console.log(JSON.stringify(await open(log)));
}
process.exit(0);
