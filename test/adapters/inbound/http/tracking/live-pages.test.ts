import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { suite, type TestContext, test } from 'node:test'
import { createApp } from '../../../../../src/adapters/inbound/http/app.ts'
import { listenerTimes } from '../../../../../src/adapters/inbound/http/listener/connections.ts'
import { createListener } from '../../../../../src/adapters/inbound/http/listener/listener.ts'
import { textsFor } from '../../../../../src/adapters/inbound/http/tracking/language.ts'
import { LivePages, type LivePagesOptions } from '../../../../../src/adapters/inbound/http/tracking/live-pages.ts'
import { pageVersion } from '../../../../../src/adapters/inbound/http/tracking/page.ts'
import type { TrackingPage } from '../../../../../src/app/answers/tracking-page.ts'
import { HOUR } from '../../../../../src/lib/durations.ts'
import { StoreError } from '../../../../../src/ports/store.ts'
import { until } from '../../../../harness/wait.ts'
import { NOW, PAGE, standIn, startHttp, TOKEN } from '../stand-in.ts'

type Told = { readonly event: string; readonly id: string | undefined; readonly data: any }
type Found = TrackingPage | { readonly refused: 'unknown_link' | 'link_expired' }

/** Tells nothing by itself unless a test asks for it. */
const quiet: LivePagesOptions = { beatMs: HOUR, gapMs: 0 }

/** A real listener whose page is what the test says, and whose incidents change when it says so. */
async function liveSite(t: TestContext, options: LivePagesOptions = quiet) {
  const { parts, lines } = standIn()
  let found: Found | Error = PAGE
  let changed: (incidentId: string) => void = () => undefined
  let reads = 0
  /** Answers to reads that the test holds back. */
  let held: Promise<void> | null = null
  const page = async (): Promise<Found> => {
    reads++
    const now = found
    if (held !== null) await held
    if (now instanceof Error) throw now
    return now
  }
  const livePages = new LivePages({ ...parts, tracking: { ...parts.tracking, page } }, options)
  const app = await createApp(
    {
      ...parts,
      tracking: { ...parts.tracking, page },
      onIncidentChange: (listener) => {
        changed = listener
      },
    },
    livePages,
  )
  const listener = createListener(app.routing, { times: { ...listenerTimes, closeMs: 0 } })
  const port = Number(new URL(await listener.listen({ host: '127.0.0.1', port: 0 })).port)
  t.after(async () => {
    livePages.close()
    await listener.close()
    await app.close()
  })
  return {
    port,
    lines,
    livePages,
    reads: () => reads,
    holds(until: Promise<void> | null) {
      held = until
    },
    becomes(now: Partial<TrackingPage> | Exclude<Found, TrackingPage> | Error) {
      found = now instanceof Error || 'refused' in now ? now : { ...PAGE, ...now }
    },
    changes: (incidentId = PAGE.incidentId) => changed(incidentId),
    async opens({ token = TOKEN, headers = {}, version = '' } = {}) {
      const address = `http://127.0.0.1:${port}/t/${token}/events?version=${version}`
      const response = await fetch(address, { headers })
      return { response, ...readEvents(response) }
    },
  }
}

/** The events of a stream, one at a time. `next` is null at its end. */
function readEvents(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  async function next(): Promise<Told | null> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((field) => field.split(/: (.*)/s) as [string, string]),
        )
        text = text.slice(end + 2)
        if (!fields.has('event')) continue
        return { event: fields.get('event')!, id: fields.get('id'), data: JSON.parse(fields.get('data')!) }
      }
      const { value, done } = await reader.read()
      if (done) return null
      text += value
    }
  }
  return { next, leave: () => reader.cancel() }
}

suite('a live tracking page', () => {
  test('hears at once what has changed, as parts of the page; then only what changes', async (t) => {
    const site = await liveSite(t)
    const { response, next } = await site.opens()
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
    const first = await next()
    assert.equal(first?.event, 'page')
    assert.equal(first?.id, pageVersion(PAGE))
    assert.equal(first?.data.now, NOW)
    site.changes('another incident')
    site.becomes({
      confirmations: [{ name: '<b>Cem', kind: 'calling', at: NOW }],
      isHelped: true,
      status: 'acknowledged',
    })
    site.changes()
    const { data } = (await next())!
    assert.equal(data.look, 'busy')
    assert.match(data.header, /<bdi>&lt;b&gt;Cem<\/bdi> is calling/)
    assert.match(data.main, /id="answers"/)
  })

  test('a browser that has the newest version gets a beat with the time of the service', async (t) => {
    const site = await liveSite(t)
    const version = pageVersion(PAGE)
    for (const reader of [{ version }, { headers: { 'last-event-id': version }, version: 'older' }]) {
      const told = await (await site.opens(reader)).next()
      assert.equal(told?.event, 'beat')
      assert.deepEqual(told?.data, { now: NOW, asOf: 'Last updated: 16:08 CEST.' })
    }
  })

  test('without changes it beats, and a position that nobody announced shows with the next beat', async (t) => {
    const site = await liveSite(t, { beatMs: 5, gapMs: 0 })
    const { next } = await site.opens({ version: pageVersion(PAGE) })
    assert.equal((await next())?.event, 'beat')
    assert.equal((await next())?.event, 'beat')
    site.becomes({ lastPosition: { ...PAGE.lastPosition!, latitude: 12.5 } })
    for (let told = await next(); ; told = await next()) {
      assert.ok(told)
      if (told.event === 'beat') continue
      assert.match(told.data.main, /12\.50000/)
      return
    }
  })

  test('a change during a look is not lost', async (t) => {
    const site = await liveSite(t)
    const { next } = await site.opens()
    await next()
    const { promise, resolve } = Promise.withResolvers<void>()
    site.holds(promise)
    site.becomes({ who: 'First' })
    const before = site.reads()
    site.changes()
    await until('the look has begun', () => site.reads() > before)
    site.becomes({ who: 'Second' })
    site.changes()
    site.holds(null)
    resolve()
    assert.match((await next())?.data.title, /First/)
    assert.match((await next())?.data.title, /Second/)
  })

  test('ends when the incident has closed, and when the link expires', async (t) => {
    const site = await liveSite(t)
    const closed = await site.opens()
    await closed.next()
    site.becomes({ status: 'resolved', closedAt: NOW, canAcknowledge: false })
    site.changes()
    assert.equal((await closed.next())?.event, 'page')
    assert.equal((await closed.next())?.event, 'over')
    assert.equal(await closed.next(), null)

    site.becomes({})
    const expired = await site.opens()
    await expired.next()
    site.becomes({ refused: 'link_expired' })
    site.changes()
    assert.equal((await expired.next())?.event, 'over')
    assert.equal(await expired.next(), null)
  })

  test('a store that cannot answer gives no beat, and no token to the log', async (t) => {
    const site = await liveSite(t)
    const { next } = await site.opens()
    await next()
    site.becomes(new StoreError(`no row for ${TOKEN}`, 'unreachable'))
    site.changes()
    await until('the failure is logged', () => site.lines.length > 0)
    assert.deepEqual(
      site.lines.map(({ fields }) => fields),
      [{ kind: 'unreachable' }],
    )
    assert.ok(!JSON.stringify(site.lines).includes(TOKEN))
  })
})

suite('many live pages', () => {
  test('of one link the oldest gives way, and is told not to come back', async (t) => {
    const site = await liveSite(t, { ...quiet, pagesPerLink: 2 })
    const [first, second] = [await site.opens(), await site.opens()]
    await first.next()
    await second.next()
    const third = await site.opens()
    assert.equal((await third.next())?.event, 'page')
    assert.equal((await first.next())?.event, 'full')
    assert.equal(await first.next(), null)
    site.becomes({ who: 'Mia' })
    site.changes()
    for (const { next } of [second, third]) assert.match((await next())?.data.title, /Mia/)
  })

  test('of all links the one with the most gives way', async (t) => {
    const site = await liveSite(t, { ...quiet, maxPages: 3 })
    const greedy = await site.opens()
    await greedy.next()
    await site.opens()
    await site.opens()
    const modest = await site.opens({ token: 'another-link-of-another' })
    assert.equal((await modest.next())?.event, 'page')
    assert.equal((await greedy.next())?.event, 'full')
  })

  test('a browser that reads nothing is cut off, and holds nobody up', async (t) => {
    const site = await liveSite(t)
    // A stream without the kernel's buffers, which take megabytes before anything shows.
    const response = Object.assign(new PassThrough(), { writeHead: () => undefined })
    const request = { raw: { socket: {} } }
    const reply = { raw: response, request, hijack: () => undefined, getHeaders: () => ({}) }
    const reader = {
      token: TOKEN,
      path: `/t/${TOKEN}`,
      texts: textsFor(['en']),
      known: '',
      incidentId: PAGE.incidentId,
    }
    assert.ok(site.livePages.open(reply as never, reader))
    const { next } = await site.opens()
    await next()
    for (let round = 0; round < 10 && !response.destroyed; round++) {
      site.becomes({
        confirmations: Array.from({ length: 200 }, () => ({ name: `Ana ${round}`, kind: 'helping', at: NOW })),
      })
      site.changes()
      assert.equal((await next())?.event, 'page')
    }
    await until('the one that does not read is cut off', () => response.destroyed)
  })

  test('are read one after another, so that they leave the processor to alarms', async (t) => {
    const turnMs = 40
    const site = await liveSite(t, { ...quiet, turnMs })
    const from = performance.now()
    const pages = await Promise.all(Array.from({ length: 5 }, () => site.opens()))
    const told: number[] = []
    await Promise.all(
      pages.map(async ({ next }) => {
        assert.equal((await next())?.event, 'page')
        told.push(performance.now() - from)
      }),
    )
    // A timer may be a millisecond early.
    for (const [place, ms] of told.entries()) assert.ok(ms >= place * (turnMs - 2), `${place}: ${ms} ms`)
  })

  test('keep their turn while the incident changes again and again', async (t) => {
    const site = await liveSite(t, { ...quiet, turnMs: 20 })
    const pages = [await site.opens(), await site.opens(), await site.opens()]
    const changes = setInterval(() => site.changes(), 1)
    t.after(() => clearInterval(changes))
    for (const { next } of pages) assert.equal((await next())?.event, 'page')
  })

  test('a stop waits for none of them', async (t) => {
    const site = await startHttp(t)
    const { next } = readEvents(await fetch(`${site.url}/t/${TOKEN}/events`))
    await next()
    const end = next()
    await site.close()
    assert.equal(await end, null)
  })
})
