import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { takeReport } from '../../../src/app/field/take-report.ts'
import type { FieldState } from '../../../src/core/field/field-state.ts'
import type { SosFlag } from '../../../src/core/field/sos-flag.ts'
import type { Few } from '../../../src/core/incident/incident.ts'
import type { FieldDevice } from '../../../src/ports/field-store.ts'
import { StoreError } from '../../../src/ports/store-error.ts'

type Needs = Parameters<typeof takeReport>[0]
type Settled = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }

const MINUTE = 60_000
const origin = { transport: 'tracker', topic: 'trackers/osmand', raw: Buffer.alloc(0) } as const
const device: FieldDevice = {
  deviceId: 'd1',
  appId: 'a1',
  userId: 'u1',
  hardwareId: 'phone',
  model: null,
  state: null,
}
const report = (set: boolean | null, press: string | null, battery: number | null) => ({
  json: {},
  flag: { set, press },
  battery,
})
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Reports whose alarms, and whose look at an incident, are answered when the test says so. */
function reportsInOrder(state: FieldState | null = null, reportsPerMinute = 0, isWatched = true) {
  const told: (Few | undefined)[] = []
  let now = Date.UTC(2026, 0, 1, 12)
  let [rows, letters, counted] = [0, 0, 0]
  const alarms: Settled[] = []
  const looks: Settled[] = []
  const kept: FieldState[] = []
  const cleared: boolean[] = []
  const stuck: SosFlag[] = []
  const disk = { write: async (): Promise<void> => {} }
  const asked = (list: Settled[]) => () => new Promise((resolve, reject) => list.push({ resolve, reject }))
  const parts = {
    door: {
      change(_key: unknown, { few }: { few?: Few }) {
        told.push(few)
        return asked(alarms)()
      },
    },
    isWatched: async () => isWatched,
    store: {
      incident: asked(looks),
      appendTelemetry(_sender: unknown, _row: unknown, settle: (stored: object) => void) {
        rows += 1
        settle({})
      },
      async addDeadLetter() {
        letters += 1
      },
      isCongested: () => false,
      async keepFieldState(_deviceId: string, written: FieldState, isCleared: boolean) {
        kept.push(written)
        cleared.push(isCleared)
        await disk.write()
      },
    },
    clock: { now: () => now },
    ids: { uuid: () => 'i', secret: () => 's' },
    log: { info() {}, warn() {}, error() {} },
    meter: {
      count(name: string) {
        if (name === 'dead_letters_total') counted += 1
      },
      observe() {},
    },
    tellStuck: (_device: unknown, flag: SosFlag) => stuck.push(flag),
    reportsPerMinute,
  } as unknown as Needs
  const reports = takeReport(parts)
  return {
    alarms,
    told,
    looks,
    stuck,
    disk,
    writes: () => kept.length,
    cleared: () => cleared,
    lastKept: () => kept.at(-1),
    written: () => {
      assert.equal(counted, letters)
      return [rows, letters]
    },
    unreadable: (deviceId = device.deviceId) => reports.unreadable({ ...device, deviceId }, origin, 'no report'),
    advance(minutes: number) {
      now += minutes * MINUTE
      return now
    },
    take: (set: boolean | null, press: string | null = null, battery: number | null = null) =>
      reports.take({ ...device, state }, report(set, press, battery), origin),
    raised: (incidentId: string) => ({ incidentId, verdict: 'opened', incident: null, unknownDevice: false }),
    closed: (closedAt: number | null) => ({ incident: { state: { closedAt } } }),
  }
}

async function itsNextFlagAlarms({ take, alarms, raised }: ReturnType<typeof reportsInOrder>): Promise<void> {
  const again = take(true)
  await turn()
  assert.equal(alarms.length, 2)
  alarms[1]!.resolve(raised('i1'))
  assert.equal(await again, 'alarmed')
}

suite('reports that overtake each other', () => {
  test('a tracker that is cleared while its alarm is being committed presses again with its next flag', async () => {
    const site = reportsInOrder()
    const { take, alarms, raised, lastKept } = site
    const pressed = take(true)
    await turn()
    assert.equal(await take(false), 'stored')
    alarms[0]!.resolve(raised('i1'))
    assert.equal(await pressed, 'alarmed')
    assert.equal(lastKept()?.flag, null)
    await itsNextFlagAlarms(site)
    assert.equal(lastKept()?.flag?.incidentId, 'i1')
  })

  test('the control: a flag that was not cleared meanwhile is held', async () => {
    const { take, alarms, looks, raised, closed } = reportsInOrder()
    const pressed = take(true)
    await turn()
    await take(null)
    alarms[0]!.resolve(raised('i1'))
    await pressed
    const again = take(true)
    await turn()
    looks[0]!.resolve(closed(null))
    assert.deepEqual([await again, alarms.length], ['stored', 1])
  })

  test('a tracker that is cleared while its incident is looked up presses again with its next flag', async () => {
    const site = reportsInOrder()
    const { take, alarms, looks, raised, closed, lastKept } = site
    const pressed = take(true)
    await turn()
    alarms[0]!.resolve(raised('i1'))
    await pressed
    const held = take(true)
    await take(false)
    looks[0]!.resolve(closed(null))
    assert.equal(await held, 'stored')
    assert.equal(lastKept()?.flag, null)
    await itsNextFlagAlarms(site)
  })

  test('of two presses the later one is kept, whichever is committed first', async () => {
    const { take, alarms, raised, lastKept } = reportsInOrder()
    const [first, second] = [take(true, '1'), take(true, '2')]
    await turn()
    alarms[1]!.resolve(raised('i1'))
    await second
    alarms[0]!.resolve(raised('i1'))
    await first
    assert.equal(lastKept()?.flag?.press, '2')
  })

  test('an alarm that could not be stored leaves the flag clear, so that it is raised when it comes again', async () => {
    const { take, alarms, raised } = reportsInOrder()
    const failed = take(true)
    await turn()
    alarms[0]!.reject(new StoreError('the disk is full', 'disk_full'))
    await assert.rejects(failed, StoreError)
    const again = take(true)
    await turn()
    alarms[1]!.resolve(raised('i1'))
    assert.equal(await again, 'alarmed')
  })
})

for (const isWatched of [true, false]) {
  const fourth = isWatched ? 'fallback' : 'first'
  test(`a flag that is never clear opens incidents ever further apart; the fourth time it tells few (${fourth}); a press does not wait`, async () => {
    const { take, alarms, told, looks, raised, closed, advance, stuck } = reportsInOrder(null, 0, isWatched)
    let closedAt = advance(0)
    /** Still set so many minutes after closing: whether it raised an alarm. */
    const setAfter = async (minutes: number): Promise<boolean> => {
      const before = alarms.length
      const held: boolean[] = []
      // It is heard all the time.
      for (let at = 10; at <= minutes; at += 10) {
        advance(10)
        const taken = take(true)
        await turn()
        looks.at(-1)?.resolve(closed(closedAt))
        await turn()
        if (alarms.length > before) {
          alarms.at(-1)!.resolve(raised(`i${alarms.length}`))
          await taken
          closedAt = advance(0)
          return at === minutes
        }
        held.push((await taken) === 'stored')
      }
      return false
    }
    const first = take(true)
    await turn()
    alarms[0]!.resolve(raised('i1'))
    await first
    assert.deepEqual(
      [await setAfter(20), await setAfter(30), await setAfter(60), await setAfter(60)],
      Array(4).fill(true),
    )
    assert.deepEqual(
      stuck.map(({ repeats }) => repeats),
      [1, 2, 3, 4],
    )
    assert.deepEqual(told, [...Array(4), fourth])
    await take(false)
    const pressed = take(true)
    await turn()
    alarms.at(-1)!.resolve(raised('i9'))
    assert.equal(await pressed, 'alarmed')
    closedAt = advance(0)
    assert.equal(await setAfter(20), true)
    assert.equal(stuck.at(-1)?.repeats, 1)
    assert.deepEqual(told.slice(5), [undefined, undefined])
  })
}

suite('a tracker that reports too often', () => {
  test('loses reports, of which nothing is written, and never a press', async () => {
    const heard: FieldState = { heardAt: Date.UTC(2026, 0, 1, 12), battery: 50, flag: null }
    const { take, unreadable, written, writes, alarms, raised, advance } = reportsInOrder(heard, 3)
    const taken = [await take(null), await take(null, null, 49), await unreadable()]
    assert.deepEqual([taken, written(), writes()], [['stored', 'stored', 'dead_lettered'], [2, 1], 1])
    assert.deepEqual(
      [await take(null, null, 48), await unreadable(), await take(null, null, 47)],
      Array(3).fill('lost'),
    )
    assert.deepEqual([written(), writes()], [[2, 1], 1])
    const pressed = take(true)
    await turn()
    alarms[0]!.resolve(raised('i1'))
    assert.equal(await pressed, 'alarmed')
    assert.equal(await unreadable('d2'), 'dead_lettered', 'another tracker of the user has a count of its own')
    advance(1)
    assert.equal(await take(null), 'stored')
  })

  test('is heard all the same: one that says that its flag is clear presses again with the next flag', async () => {
    const site = reportsInOrder(null, 1)
    const { take, alarms, raised, lastKept } = site
    await take(null)
    const pressed = take(true)
    await turn()
    alarms[0]!.resolve(raised('i1'))
    await pressed
    assert.equal(await take(false), 'lost')
    assert.equal(lastKept()?.flag, null)
    await itsNextFlagAlarms(site)
  })

  test('is clear on disk before the answer: after a stop the next press would be held', async () => {
    const flag: SosFlag = { heardAt: Date.UTC(2026, 0, 1, 12), press: null, incidentId: 'i0' }
    const { take, disk, writes } = reportsInOrder({ heardAt: flag.heardAt, battery: null, flag }, 1)
    const written = Promise.withResolvers<void>()
    disk.write = () => written.promise
    let answers = 0
    const answered = () => {
      answers += 1
    }
    const cleared = [take(false), take(false)]
    for (const one of cleared) one.then(answered, answered)
    await turn()
    assert.equal(answers, 0)
    written.resolve()
    assert.deepEqual(await Promise.all(cleared), ['stored', 'lost'])

    disk.write = () => Promise.reject(new StoreError('no answer', 'unreachable'))
    await assert.rejects(take(false), { kind: 'unreachable' })
    const before = writes()
    disk.write = () => Promise.reject(new StoreError('no space left', 'disk_full'))
    assert.equal(await take(false), 'lost', 'an SOS must not wait behind it')
    assert.equal(writes(), before + 1, 'what failed is written with the next report')
  })

  test('only the report that clears what is on disk may use the space of alarms', async () => {
    const flag: SosFlag = { heardAt: Date.UTC(2026, 0, 1, 12), press: null, incidentId: 'i0' }
    const wasSet = reportsInOrder({ heardAt: flag.heardAt, battery: null, flag })
    await wasSet.take(null, null, 40)
    await wasSet.take(false)
    assert.deepEqual(wasSet.cleared(), [false, true])
    const wasClear = reportsInOrder({ heardAt: flag.heardAt, battery: null, flag: null })
    wasClear.advance(2)
    await wasClear.take(false)
    assert.deepEqual(wasClear.cleared(), [false])
  })
})
