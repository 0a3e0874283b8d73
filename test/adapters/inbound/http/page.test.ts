import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { MAX_READERS, PageReaders } from '../../../../src/adapters/inbound/http/answers/page-readers.ts'
import { pageTexts } from '../../../../src/adapters/inbound/http/answers/send-page.ts'
import type { Page, PageQuery } from '../../../../src/ports/store.ts'
import { until } from '../../../harness/wait.ts'
import { ANA, ask, HASH, pastIncident, SIGNED, startHttp } from './stand-in.ts'

/** Items 1 to `count`, whose cursors are the numbers, and a record of how many were requested each time. */
function list(count: number) {
  const asked: number[] = []
  const read = async ({ after, limit }: PageQuery): Promise<Page<number>> => {
    asked.push(limit)
    const from = Number(after ?? 0)
    const items = Array.from({ length: Math.min(limit, count - from) }, (_, n) => from + n + 1)
    return { items, after: from + limit < count ? String(from + limit) : null }
  }
  const textOf = async (query: PageQuery, atOnce: number): Promise<string> => {
    const first = await read({ ...query, limit: Math.min(atOnce, query.limit) })
    let text = ''
    for await (const part of pageTexts(query, first as Page<number>, read, atOnce)) text += part
    return text
  }
  return { asked, textOf }
}

suite('a page that is read in parts', () => {
  const cases = [
    [0, 20, []],
    [1, 20, [1]],
    [5, 20, [1, 2, 3, 4, 5]],
    [5, 5, [1, 2, 3, 4, 5]],
    [9, 4, [1, 2, 3, 4]],
    [9, 1, [1]],
  ] as const
  for (const [count, limit, items] of cases) {
    for (const atOnce of [1, 2, 5, 100]) {
      test(`${limit} of ${count}, ${atOnce} at a time`, async () => {
        const nextCursor = limit < count ? String(limit) : null
        const text = await list(count).textOf({ after: null, limit }, atOnce)
        assert.deepEqual(JSON.parse(text), { items, nextCursor, hasMore: nextCursor !== null })
      })
    }
  }

  test('continues from its cursor, and never requests more than is wanted', async () => {
    const { textOf, asked } = list(9)
    assert.deepEqual(JSON.parse(await textOf({ after: '4', limit: 3 }, 2)).items, [5, 6, 7])
    assert.deepEqual(asked, [2, 1])
  })

  test('lets other work run between its parts', async () => {
    const done: string[] = []
    const other = (): void => void setImmediate(() => done.push('other work') && done.length < 100 && other())
    const read = async (): Promise<Page<string>> => {
      done.push('part')
      return { items: ['x'], after: 'more' }
    }
    const first = await read()
    other()
    for await (const _ of pageTexts({ after: null, limit: 3 }, first, read, 1));
    assert.deepEqual(
      done.filter((what, at) => what === 'part' && done[at - 1] === 'part'),
      [],
    )
  })
})

suite('readers of pages', () => {
  const nobody = (): void => {}

  test('a user reads one page at a time, the next one when it is done', async () => {
    const readers = new PageReaders()
    const leave = await readers.enter('ana', nobody)
    let entered = false
    const second = readers.enter('ana', nobody).then((leaves) => {
      entered = true
      return leaves
    })
    assert.ok(await readers.enter('ben', nobody))
    assert.equal(entered, false)
    leave!()
    leave!()
    assert.ok(await second)
  })

  test('a few users read at a time, in order of arrival', async () => {
    const readers = new PageReaders()
    const leaves = await Promise.all(Array.from({ length: MAX_READERS }, (_, n) => readers.enter(`u${n}`, nobody)))
    const order: string[] = []
    const waiting = ['ana', 'ben'].map((name) => readers.enter(name, nobody).then(() => order.push(name)))
    leaves[3]!()
    leaves[5]!()
    await Promise.all(waiting)
    assert.deepEqual(order, ['ana', 'ben'])
  })

  test('a reader who waits too long, or has too many requests waiting, is refused', async () => {
    const readers = new PageReaders({ timeoutMs: 20 })
    await readers.enter('ana', nobody)
    const many = Array.from({ length: 5 }, () => readers.enter('ana', nobody))
    assert.equal(await Promise.race(many), null, 'the fifth at once')
    assert.deepEqual(await Promise.all(many), [null, null, null, null, null])
  })

  test('a slow reader is ended when others wait', async () => {
    let now = 0
    const readers = new PageReaders({ now: () => now })
    const leaves: (() => void)[] = []
    for (let n = 0; n < MAX_READERS; n++) {
      const leave: (() => void) | null = await readers.enter(`u${n}`, () => leave?.())
      leaves.push(leave!)
      now += 1000
    }
    now = 30_000
    assert.ok(await readers.enter('ana', nobody))
  })
})

suite('GET /v1/sdk/sos/history', () => {
  /** A hundred incidents of 1,000 positions each: ten megabytes. */
  const position = { latitude: 47.071342, longitude: 11.404123, altitude: 1834.5, at: '2026-05-01T14:06:40.123456789Z' }
  const item = { ...pastIncident(), positionTrail: Array.from({ length: 1000 }, () => position) }
  const ownIncident = (reads: { count: number }) => ({
    history: async (_session: unknown, { after }: PageQuery) => {
      reads.count++
      const at = Number(after ?? 0) + 1
      return { items: [item], after: at < 150 ? String(at) : null }
    },
  })
  const startSite = async (t: TestContext) => {
    const reads = { count: 0 }
    const site = await startHttp(t, { ownIncident: ownIncident(reads) as never })
    return { ...site, reads }
  }

  test('ten megabytes arrive as one page', async (t) => {
    const site = await startSite(t)
    const { json } = await ask(site, 'GET', '/v1/sdk/sos/history?limit=100', { headers: SIGNED })
    assert.equal(json.items.length, 100)
    assert.deepEqual(json.items[99], JSON.parse(JSON.stringify(item)))
    assert.deepEqual([json.nextCursor, json.hasMore], ['100', true])
  })

  test('nothing more is read for a client that stops reading, and a client that disconnects makes room', async (t) => {
    const site = await startSite(t)
    const socket = connect(site.port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.pause()
    const headers = `X-App-ID: ${ANA.appId}\r\nX-User-ID: ana\r\nAuthorization: Bearer ${HASH}\r\n`
    socket.write(`GET /v1/sdk/sos/history?limit=100 HTTP/1.1\r\nHost: hut\r\n${headers}\r\n`)
    await until('it is begun', () => site.reads.count > 0)
    let before = 0
    while (before < site.reads.count) {
      before = site.reads.count
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    assert.ok(site.reads.count < 100, `${site.reads.count} of 100 were read`)

    const next = ask(site, 'GET', '/v1/sdk/sos/history?limit=1', { headers: SIGNED })
    await until('it waits', () => site.calls.filter(({ use }) => use === 'identify').length === 2)
    socket.destroy()
    assert.equal((await next).status, 200)
  })
})
