// The AI SDK: generateText over a model that answers without being asked; it throws when a result is missing.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const require = createRequire(process.env.NODE_PATH + '/');
const { generateText } = require('ai');
const { MockLanguageModelV3 } = require('ai/test');

const answer = {
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  content: [{ type: 'text', text: 'x' }],
  warnings: [],
};
const model = new MockLanguageModelV3({ doGenerate: async () => answer });

for await (const line of createInterface({ input: process.stdin })) {
  let refused = false;
  try {
    await generateText({ model, messages: JSON.parse(line), maxRetries: 0 });
  } catch (error) {
    if (error.name !== 'AI_MissingToolResultsError') throw error;
    refused = true;
  }
  console.log(JSON.stringify({ refused }));
}
