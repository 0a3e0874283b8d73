import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import fastify from 'fastify'
import { readBodiesWhole } from '../../../../src/adapters/inbound/http/bodies/whole-body.ts'
import { createListener } from '../../../../src/adapters/inbound/http/listener/listener.ts'

const LIMIT = 30_000

/** Answers with the body's length and the number of its chunks, and how many chunks were ever kept unread. */
async function dialOf(t: TestContext) {
  const app = fastify({ bodyLimit: LIMIT })
  let most = 0
  readBodiesWhole(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    async (request: { raw: { readableLength: number } }, payload: AsyncIterable<Buffer>) => {
      const lengths: number[] = []
      for await (const chunk of payload) lengths.push(chunk.length)
      most = Math.max(most, request.raw.readableLength)
      return lengths
    },
  )
  app.addHook('onRequest', async ({ raw }) => {
    // As long as a look at who sends it takes.
    await new Promise((resolve) => setTimeout(resolve, 50))
    most = Math.max(most, raw.readableLength)
  })
  app.post('/', async ({ body }) => ({ lengths: body, most }))
  await app.ready()
  const listener = createListener(app.routing)
  const port = Number(new URL(await listener.listen({ host: '127.0.0.1', port: 0 })).port)
  t.after(() => listener.close())
  return async (body: string): Promise<{ status: number; json: any }> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    t.after(() => socket.destroy())
    socket.write(`POST / HTTP/1.1\r\nHost: hut\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)
    let text = ''
    for await (const bytes of socket) text += bytes
    return { status: Number(text.slice(9, 12)), json: JSON.parse(text.split('\r\n\r\n', 2)[1] ?? '') }
  }
}

const singleBytes = (count: number): string => '1\r\nx\r\n'.repeat(count)

suite('a body in chunks of one byte', () => {
  test('is one chunk when it is read, and few are kept until then', async (t) => {
    const ask = await dialOf(t)
    const { status, json } = await ask(`${singleBytes(LIMIT)}0\r\n\r\n`)
    assert.deepEqual([status, json.lengths], [200, [LIMIT]])
    assert.ok(json.most < 512, `${json.most} chunks were kept`)
  })

  test('is refused when it is longer than its route takes, without waiting for its end', async (t) => {
    const ask = await dialOf(t)
    assert.equal((await ask(singleBytes(LIMIT + 1))).status, 500, 'a problem of the service, which answers it with 413')
  })

  test('is as long as it was when it is short', async (t) => {
    const ask = await dialOf(t)
    const { json } = await ask(`${singleBytes(3)}0\r\n\r\n`)
    assert.equal(
      json.lengths.reduce((sum: number, length: number) => sum + length, 0),
      3,
    )
  })
})
