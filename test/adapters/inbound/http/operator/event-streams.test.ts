import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { suite, type TestContext, test } from 'node:test'
import { EventStreams } from '../../../../../src/adapters/inbound/http/operator/event-streams.ts'
import type { OperatorCaller } from '../../../../../src/app/operator/callers.ts'
import { IncidentChanges } from '../../../../../src/app/operator/incident-changes.ts'
import type { Grant } from '../../../../../src/core/operator/role.ts'
import { SECOND } from '../../../../../src/lib/durations.ts'
import { NOW, startHttp } from '../stand-in.ts'
import { callerCalled, HUT, LIFT, operatorStandIn, type Person, withCookie } from './stand-in.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
/** Pauses are over at once; nothing is forgotten. */
const soon = (ms: number, work: () => void) => {
  if (ms <= SECOND) setImmediate(work)
  return () => {}
}
const LOG = { info() {}, warn() {}, error() {} }

/** The response to a browser, which reads only when the test says so: no kernel buffers take megabytes first. */
class Screen extends EventEmitter {
  destroyed = false
  writableEnded = false
  #unread = ''
  last: string | Buffer = ''
  get writableLength(): number {
    return this.#unread.length
  }
  writeHead(): void {}
  write(events: string | Buffer): void {
    this.last = events
    this.#unread += events
  }
  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
  reads(): string {
    const text = this.#unread
    this.#unread = ''
    return text
  }
}

/** Streams without sockets, whose checks the test makes. */
function site(options: { readonly perCaller?: number; readonly maxStreams?: number } = {}) {
  const items = new Map<
    string,
    { readonly applicationId: string; readonly text: string; readonly drill: boolean; readonly simulated: boolean }
  >()
  let isDown = false
  let looks = 0
  const noted: Grant[] = []
  const read = async (id: string) => {
    if (isDown) throw new Error('down')
    return items.get(id) ?? null
  }
  const changes = new IncidentChanges({ ids: { secret: () => randomUUID() }, read, log: LOG, after: soon })
  const time = { ms: 0 }
  let check: (() => void) | null = null
  const streams = new EventStreams(
    { changes, clock: { now: () => NOW }, log: LOG },
    {
      ...options,
      monotonicMs: () => time.ms,
      every(_ms, work) {
        check = () => void work(time.ms)
        return () => {
          check = null
        }
      },
    },
  )
  const now = new Map<Person, OperatorCaller | null>()
  return {
    changes,
    now,
    falls: (down: boolean) => {
      isDown = down
    },
    isChecking: () => check !== null,
    looks: () => looks,
    noted,
    async changed(id: string, applicationId: string, text: string, { drill = false, simulated = false } = {}) {
      items.set(id, { applicationId, text, drill, simulated })
      changes.changed(id)
      await turn()
    },
    async passes(ms: number) {
      time.ms += ms
      check?.()
      for (let round = 0; round < 5; round += 1) await turn()
    },
    opens(person: Person, known: string | null = null) {
      const response = new Screen()
      const reply = { raw: response, request: { raw: { socket: {} } }, hijack() {}, getHeaders: () => ({}) }
      const caller = callerCalled(person, 'cookie')
      const callerNow = async () => {
        looks += 1
        if (isDown) throw new Error('down')
        return now.get(person) === undefined ? caller : now.get(person)!
      }
      const noteLook = (grant: Grant) => void noted.push(grant)
      const isOpen = streams.open(reply as never, { caller, known, callerNow, noteLook })
      /** What has come since the last time: `[event, data]` of each. */
      const heard = () => {
        const text = response.reads()
        const blocks = text.split('\n\n').filter((block) => block.includes('event: '))
        return blocks.map((block) => {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
          return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) }
        })
      }
      return { isOpen, response, heard, events: () => heard().map(({ event, data }) => data.text ?? event) }
    },
  }
}

suite('the streams to the consoles', () => {
  test('begin with a heartbeat that has an id, and tell what is in scope', async () => {
    const { opens, changed } = site()
    const all = opens('viewer')
    const hut = opens('hutViewer')
    const [first] = all.heard()
    assert.equal(first?.event, 'heartbeat')
    assert.match(first?.id ?? '', /^[\w-]+\.0$/)
    assert.deepEqual(first?.data, { at: '2026-05-01T14:08:12.000Z' })
    await changed('a', HUT, 'in the hut')
    await changed('b', LIFT, 'on the lift')
    assert.deepEqual(all.events(), ['in the hut', 'on the lift'])
    assert.deepEqual(hut.events(), ['heartbeat', 'in the hut'])
  })

  test('an exercise has an event of its own, within the scope and once over reconnects; a simulated SOS rings', async () => {
    const { opens, changed } = site()
    const first = opens('viewer')
    const hut = opens('hutViewer')
    await changed('a', LIFT, 'an exercise', { drill: true })
    await changed('b', LIFT, 'simulated', { drill: true, simulated: true })
    const told = first.heard()
    assert.deepEqual(
      told.map(({ event, data }) => [event, data.text]),
      [
        ['heartbeat', undefined],
        ['drill', 'an exercise'],
        ['incident', 'simulated'],
      ],
    )
    assert.deepEqual(hut.events(), ['heartbeat'])
    assert.deepEqual(opens('viewer', told[0]!.id).events(), ['an exercise', 'simulated', 'heartbeat'])
    assert.deepEqual(opens('viewer', told[1]!.id).events(), ['simulated', 'heartbeat'])
  })

  test('an event is encoded once for all who may see everything, and again for others', async () => {
    const { opens, changed } = site()
    const [all, too, hut] = [opens('viewer'), opens('operator'), opens('hutViewer')]
    await changed('a', HUT, 'in the hut')
    assert.ok(Buffer.isBuffer(all.response.last))
    assert.equal(all.response.last, too.response.last)
    assert.equal(all.response.last, hut.response.last)
    await changed('b', LIFT, 'on the lift')
    assert.equal(all.response.last, too.response.last)
    assert.notEqual(all.response.last, hut.response.last)
  })

  test('between two looks the process does its other work', async () => {
    const { opens, passes, looks } = site()
    for (const person of ['viewer', 'operator', 'admin'] as const) opens(person)
    const checked = passes(1.5 * SECOND)
    await turn()
    assert.equal(looks(), 1)
    await checked
    assert.equal(looks(), 3)
  })

  test('go on where they broke off, and begin anew where they cannot', async () => {
    const { opens, changed, changes } = site()
    const first = opens('viewer')
    await changed('a', HUT, 'one')
    const known = first.heard().at(-1)!.id
    first.response.destroy()
    await changed('a', HUT, 'two')
    assert.deepEqual(opens('viewer', known).events(), ['two', 'heartbeat'])
    const stays = opens('viewer', 'another.7')
    assert.deepEqual(stays.events(), ['reload', 'heartbeat'])
    changes.reset()
    assert.deepEqual(stays.events(), ['reload'])
    assert.deepEqual(opens('viewer', known).events(), ['reload', 'heartbeat'])
  })

  test('a heartbeat comes within fifteen seconds, and none while the store is down', async () => {
    const { opens, passes, falls, changed } = site()
    const { events } = opens('viewer')
    events()
    for (let round = 0; round < 9; round += 1) await passes(1.5 * SECOND)
    assert.deepEqual(events(), ['heartbeat'])
    falls(true)
    for (let round = 0; round < 12; round += 1) await passes(1.5 * SECOND)
    assert.deepEqual(events(), [])
    await changed('a', HUT, 'one')
    falls(false)
    await turn()
    await passes(0)
    assert.deepEqual(events().toSorted(), ['heartbeat', 'one'])
  })

  test('a screen that shows them all night is noted with each heartbeat, of which the log keeps one an hour', async () => {
    const { opens, passes, falls, noted, now } = site()
    opens('operator')
    assert.equal(noted.length, 1)
    for (let n = 0; n < 3; n += 1) await passes(14 * SECOND)
    assert.deepEqual([noted.length, noted.at(-1)?.role], [4, 'operator'])
    // Whoever may take no alarm any more keeps no board watched: on-call alerts would wait for them.
    now.set('operator', callerCalled('viewer', 'cookie'))
    await passes(14 * SECOND)
    assert.deepEqual([noted.length, noted.at(-1)?.role], [5, 'viewer'])
    falls(true)
    await passes(14 * SECOND)
    assert.equal(noted.length, 5, 'nobody sees anything new while the store is down')
  })

  test('end with the next check for a caller who has lost access, and for nobody else', async () => {
    const { opens, passes, changed, now } = site()
    const gone = opens('operator')
    const stays = opens('viewer')
    now.set('operator', null)
    await passes(1.5 * SECOND)
    assert.deepEqual([gone.response.destroyed, stays.response.destroyed], [true, false])
    await changed('a', HUT, 'one')
    assert.deepEqual(stays.events(), ['heartbeat', 'one'])
  })

  test('one that cannot be written to is ended, and the others go on', async () => {
    const { opens, passes, changed, now } = site()
    const [broken, gone, stays] = [opens('operator'), opens('hutViewer'), opens('viewer')]
    stays.events()
    broken.response.write = () => {
      throw new Error('broken')
    }
    now.set('hutViewer', null)
    await passes(14 * SECOND)
    assert.deepEqual([broken.response.destroyed, gone.response.destroyed], [true, true])
    assert.deepEqual(stays.events(), ['heartbeat'])
    await changed('a', HUT, 'one')
    assert.deepEqual(stays.events(), ['one'])
  })

  test('follow what a caller may see', async () => {
    const { opens, passes, changed, now } = site()
    const { events } = opens('viewer')
    now.set('viewer', callerCalled('hutViewer', 'cookie'))
    await passes(1.5 * SECOND)
    await changed('a', LIFT, 'no more')
    await changed('b', HUT, 'still')
    assert.deepEqual(events(), ['heartbeat', 'reload', 'still'])
  })

  test('a screen that does not read is cut off and stalls nobody', async () => {
    const { opens, changed } = site()
    const stuck = opens('viewer')
    const reads = opens('operator')
    const page = 'x'.repeat(100_000)
    for (let round = 0; round < 12; round += 1) {
      await changed('a', HUT, `${page}${round}`)
      assert.deepEqual(reads.events().at(-1), `${page}${round}`)
    }
    assert.ok(stuck.response.destroyed)
    assert.ok(!reads.response.destroyed)
  })

  test('are bounded, for one caller and in all; a place is free when a stream has ended', async () => {
    const { opens, isChecking } = site({ perCaller: 2, maxStreams: 3 })
    const [one] = [opens('viewer'), opens('viewer')]
    assert.equal(opens('viewer').isOpen, false)
    const other = opens('operator')
    assert.equal(other.isOpen, true)
    assert.equal(opens('admin').isOpen, false, 'nobody gives way')
    one.response.destroy()
    await turn()
    assert.equal(opens('admin').isOpen, true)
    assert.ok(isChecking())
  })

  test('stop asking when nobody is there', async () => {
    const { opens, isChecking } = site()
    const { response } = opens('viewer')
    assert.ok(isChecking())
    response.destroy()
    assert.ok(!isChecking())
  })
})

suite('GET /v1/operator/events', () => {
  async function live(t: TestContext) {
    const operator = operatorStandIn()
    return { operator, ...(await startHttp(t, { operator })) }
  }

  test('streams to everyone who is signed in, and ends with the service', async (t) => {
    const { url, close } = await live(t)
    const { 'x-tocsin-console': _, ...cookie } = withCookie('viewer')
    const response = await fetch(`${url}/v1/operator/events`, { headers: cookie })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const body = response.text()
    await close()
    assert.match(await body, /^retry: 2000\n\nid: [\w-]+\.0\nevent: heartbeat\ndata: \{"at":"[^"]+"\}\n\n$/)
  })

  test('is for nobody else', async (t) => {
    const { url } = await live(t)
    assert.equal((await fetch(`${url}/v1/operator/events`)).status, 401)
    const unknown = { authorization: `Bearer tocsin_${'u'.repeat(43)}` }
    assert.equal((await fetch(`${url}/v1/operator/events`, { headers: unknown })).status, 401)
  })
})
