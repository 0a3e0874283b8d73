import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Agent, request } from '../../../../src/adapters/outbound/http/undici.ts'
import { standIn, status } from './stand-in.ts'

/** In a thread, which has a cache of its own: other tests of this process use the index. */
const LOADS = `
  import { createRequire } from 'node:module'
  import { parentPort, workerData } from 'node:worker_threads'
  await import(workerData)
  parentPort.postMessage(Object.keys(createRequire(workerData).cache))
`

test('only the parts of undici that calls need are loaded', async () => {
  const file = new URL('../../../../src/adapters/outbound/http/undici.ts', import.meta.url).href
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(LOADS)}`), { workerData: file })
  const [paths] = (await once(thread, 'message')) as [readonly string[]]
  const loaded = paths.filter((path) => path.includes('/node_modules/undici/'))
  assert.ok(loaded.some((path) => path.endsWith('/lib/dispatcher/agent.js')))
  assert.deepEqual(
    loaded.filter((path) => /\/undici\/index\.js$|\/lib\/(web\/(fetch\/index|websocket|cache)|mock|cache)/.test(path)),
    [],
  )
})

test('a request has the path and query of its URL, and rejects what is no HTTP', async (t) => {
  const dispatcher = new Agent()
  t.after(() => dispatcher.destroy())
  const target = await standIn(t, status(200))
  const { statusCode, body } = await request(`${target.url}/a%20b?c=d&e=#f`, { method: 'POST', body: '{}', dispatcher })
  await body.dump()
  assert.deepEqual([statusCode, target.heard[0]?.path], [200, '/hook/a%20b?c=d&e='])
  await assert.rejects(request('ftp://example.org/', { method: 'POST', dispatcher }), { code: 'UND_ERR_INVALID_ARG' })
  await assert.rejects(request('no URL', { method: 'POST', dispatcher }), { code: 'ERR_INVALID_URL' })
})
