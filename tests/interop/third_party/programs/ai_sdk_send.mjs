// The AI SDK, version 4 to 7: generateText over a model that answers without being asked, with a tool `pay`.
// A row has the `messages` and whether they are UI messages (`ui`). Printed is the prompt that the model gets, or the error.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(process.env.NODE_PATH + '/'));
const sdk = require('ai');
const mocks = require('ai/test');
const Mock = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3 ?? mocks.MockLanguageModelV2 ?? mocks.MockLanguageModelV1;
globalThis.AI_SDK_LOG_WARNINGS = false;

const isFlat = Mock === mocks.MockLanguageModelV2;
const answer = {
  finishReason: Mock === mocks.MockLanguageModelV1 || isFlat ? 'stop' : { unified: 'stop', raw: 'stop' },
  usage: isFlat
    ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    : { inputTokens: { total: 1 }, outputTokens: { total: 1 }, promptTokens: 1, completionTokens: 1 },
  content: [{ type: 'text', text: 'x' }],
  text: 'x',
  rawCall: { rawPrompt: null, rawSettings: {} },
  warnings: [],
};
const schema = sdk.jsonSchema({ type: 'object', properties: {} });
const pay = { description: 'Pay.', inputSchema: schema, parameters: schema, needsApproval: true, execute: async () => 'paid now' };

async function sent({ messages, ui }) {
  let prompt;
  const model = new Mock({
    doGenerate: async options => {
      prompt = options.prompt;
      return answer;
    },
  });
  const converted = ui && sdk.convertToModelMessages ? await sdk.convertToModelMessages(messages) : messages;
  await sdk.generateText({ model, tools: { pay }, messages: converted, maxRetries: 0, allowSystemInMessages: true });
  return prompt;
}

async function misfit({ messages, ui }) {
  if (!ui || !sdk.safeValidateUIMessages) return '';
  const checked = await sdk.safeValidateUIMessages({ messages });
  return checked.success ? '' : checked.error.message;
}

for await (const line of createInterface({ input: process.stdin })) {
  const row = JSON.parse(line);
  try {
    console.log(JSON.stringify({ invalid: await misfit(row), prompt: await sent(row) }));
  } catch (error) {
    console.log(JSON.stringify({ invalid: await misfit(row), error: `${error.name}: ${error.message}` }));
  }
}
