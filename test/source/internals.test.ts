import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachesIn } from '../internals.ts'

test('what reaches past an interface is found, and what only speaks of it is not', () => {
  for (const code of [
    'socket._handle.readStop()',
    "Reflect.deleteProperty(socket, 'destroy')",
    "Object.defineProperty(socket, 'remoteAddress', {})",
    "const [begin] = server.listeners('connection')",
    "server.removeAllListeners('connection')",
    "const { createServer } = process.getBuiltinModule('node:http')",
    'delete require.cache[path]',
    "import { Session } from 'node:inspector/promises'",
    "Symbol.for('fastify.display-name')",
    "require('undici/lib/dispatcher/agent.js')",
    'const { stream } = client as unknown as { stream: Duplex }',
  ]) {
    assert.equal(reachesIn(code).length, 1, code)
  }
  const code =
    "// socket._handle\n/* require.cache */\nimport { Agent } from 'undici'\nthis.#own.listeners.add(one)\nfoo(_unused)"
  assert.deepEqual(reachesIn(code), [])
})
