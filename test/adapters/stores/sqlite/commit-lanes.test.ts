import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { MAX_CALLS_OF_ONE, ROW_BYTES } from '../../../../src/adapters/stores/shared/commit-limits.ts'
import type { FlatRow } from '../../../../src/adapters/stores/shared/telemetry-row.ts'
import {
  bytesOf,
  CommitLanes,
  MAX_OUTCOME_WAIT_MS,
  senderOf,
} from '../../../../src/adapters/stores/sqlite/writer/commit-lanes.ts'
import type { WriteCall } from '../../../../src/adapters/stores/sqlite/writes.ts'
import { StoreError } from '../../../../src/ports/store.ts'
import { appended, applicationCalled, telemetryAt } from '../../../contract/site.ts'
import { momentAt, raiseAt } from '../../../core/build.ts'
import { freshDir, openAt } from '../../../fixtures/store-place.ts'

const MAX_BYTES = 1024 * 1024

const row = (user: string): FlatRow => ({
  ...{
    appId: 'app',
    reporterId: user,
    deviceId: null,
    byDevice: false,
    ms: 0,
    nanos: 0,
    text: '',
    isArrival: false,
    receivedAt: 0,
  },
  ...{ compact: new Uint8Array(500), latitude: null, longitude: null, altitude: null, accuracy: null },
})
const alert = (user: string): WriteCall => [
  'changeIncident',
  0,
  [{ reporter: { appId: 'app', userId: user, deviceId: null } }, raiseAt(0)],
]
const profile = (user: string): WriteCall => ['updateProfile', 0, [user, {}, 0]]

const claim = (incident: string): WriteCall => [
  'changeIncident',
  0,
  [{ incidentId: incident }, { type: 'proceed', now: 0, inFlight: [] }],
]
const outcome = (incident: string): WriteCall => [
  'changeIncident',
  0,
  [{ incidentId: incident }, { type: 'recordOutcome', now: 0, attemptId: `${incident}.1` }],
]
const shift: WriteCall = ['changePending', 0, [{ type: 'shiftDeadlines', now: 0, byMs: 1000 }]]

const itemOf = (call: WriteCall, handedInAt = 0) => ({ call, handedInAt, sender: senderOf(call), bytes: bytesOf(call) })
const rowOf = (user: string) => ({ row: row(user), sender: user, bytes: ROW_BYTES + row(user).compact.byteLength })
type Lanes = CommitLanes<ReturnType<typeof itemOf>, ReturnType<typeof rowOf>>
const lanes = (): Lanes => new CommitLanes(MAX_BYTES)

/** Adds writes of many users until one is refused. Returns how many were accepted. */
function fill(given: Lanes, of: (user: string) => Parameters<Lanes['add']>[0], max = 100_000): number {
  let taken = 0
  while (taken < max && given.add(of(`user-${taken % 50}`))) taken += 1
  return taken
}

test('waiting writes are bounded in bytes: telemetry is refused first, then profiles, alarms last', () => {
  const full = lanes()
  const rows = fill(full, rowOf)
  assert.ok(rows * 500 <= MAX_BYTES && rows > 100)
  assert.ok(full.add(itemOf(profile('mia'))) && full.add(itemOf(alert('mia'))))
  fill(full, (user) => itemOf(profile(user)))
  assert.equal(full.add(itemOf(profile('mia'))), false)
  const alarms = fill(full, (user) => itemOf(alert(user)))
  assert.ok(alarms > 50, `${alarms} alarms`)
  assert.equal(full.add(itemOf(alert('mia'))), false)

  // Alarms alone: telemetry is refused long before the first alarm is.
  const alarming = lanes()
  fill(alarming, (user) => itemOf(alert(user)), MAX_BYTES / 2 / 4096 + 1)
  assert.equal(alarming.add(rowOf('mia')), false)
  assert.ok(alarming.add(itemOf(alert('mia'))))
})

test('one user cannot use up the room of others, and is held back before all users are', () => {
  const given = lanes()
  while (!given.isCongested('flooder')) given.add(rowOf('flooder'))
  assert.equal(given.isCongested('mia'), false)
  while (given.add(rowOf('flooder')));
  while (given.add(itemOf(alert('flooder'))));
  assert.ok(given.add(rowOf('mia')) && given.add(itemOf(alert('mia'))))
})

test('few alerts of one user share a commit with another’s, and the rest of them keep their order', () => {
  const given = lanes()
  const flood = Array.from({ length: 64 }, () => itemOf(alert('flooder')))
  for (const item of flood) given.add(item)
  given.add(itemOf(alert('mia')))
  const batches: (readonly (typeof flood)[number][])[] = []
  while (given.length > 0) batches.push(given.take(0).calls)
  const ofFlooder = batches.map((calls) => calls.filter(({ sender }) => sender === 'flooder'))
  assert.ok(batches[0]!.some(({ sender }) => sender === 'mia'))
  assert.ok(ofFlooder.every(({ length }) => length <= MAX_CALLS_OF_ONE))
  assert.deepEqual(ofFlooder.flat(), flood)
})

test('the service’s own calls share a commit, however many they are', () => {
  const given = lanes()
  for (let n = 0; n < 64; n += 1) given.add(itemOf(['proveWritable', 0, []]))
  given.add(itemOf(alert('mia')))
  assert.equal(given.take(0).calls.length, 65)
})

test('the write check and the alarms of others go with the next batch, whatever waits', () => {
  const given = lanes()
  while (given.add(rowOf('flooder')));
  while (given.add(itemOf(alert('flooder'))));
  given.add(itemOf(alert('mia')))
  given.add(itemOf(['proveWritable', 0, []]))
  const next = given.take(0).calls.slice(0, 3)
  assert.deepEqual(
    next.map(({ call: [name], sender }) => [name, sender]),
    [
      ['changeIncident', 'flooder'],
      ['changeIncident', 'mia'],
      ['proveWritable', ''],
    ],
  )
})

/** What kind of call each of a commit is, and how many of them come in a row. */
function kindsOf(calls: readonly { readonly call: WriteCall }[]): readonly string[] {
  const kinds = calls.map(({ call: [, , [key, command]] }) =>
    'incidentId' in (key as object) ? (command as { type: string }).type : 'press',
  )
  return kinds.flatMap((kind, n) => (kind === kinds[n - 1] ? [] : `${kind} ${kinds.filter((k) => k === kind).length}`))
}

/** Lanes in which claims and outcomes wait, all handed in at 0. */
function withBoth(claims: number, outcomes: number): Lanes {
  const given = lanes()
  for (let n = 0; n < outcomes; n += 1) given.add(itemOf(outcome(`incident-${n}`)))
  for (let n = 0; n < claims; n += 1) given.add(itemOf(claim(`incident-${n}`)))
  return given
}

test('a press goes before the claims and outcomes of the dispatcher, which come along every second time', () => {
  const given = withBoth(200, 200)
  const commits = Array.from({ length: 4 }, () => {
    given.add(itemOf(alert('mia')))
    return kindsOf(given.take(0).calls)
  })
  const both = ['press 1', 'proceed 64']
  assert.deepEqual(commits, [['press 1'], both, ['press 1'], both])
})

test('claims leave outcomes behind, and then a few of these share a commit, so that the next claim waits for few', () => {
  const given = withBoth(74, 74)
  const commits = Array.from({ length: 3 }, () => kindsOf(given.take(MAX_OUTCOME_WAIT_MS - 1).calls))
  assert.deepEqual(commits, [['proceed 64'], ['proceed 10', 'recordOutcome 6'], ['recordOutcome 16']])
})

test('outcomes that waited long get half of a commit, and all of it when no claim waits', () => {
  const given = withBoth(40, 100)
  const commits: (readonly string[])[] = []
  while (given.length > 0) commits.push(kindsOf(given.take(MAX_OUTCOME_WAIT_MS).calls))
  assert.deepEqual(commits, [
    ['proceed 32', 'recordOutcome 32'],
    ['proceed 8', 'recordOutcome 56'],
    ['recordOutcome 12'],
  ])
})

test('an endless stream of claims holds no outcome back for long, and keeps half of each commit', () => {
  const given = lanes()
  const commitMs = 10
  let waitedMs = 0
  for (let now = 0, n = 0; now < 4 * MAX_OUTCOME_WAIT_MS; now += commitMs) {
    for (let k = 0; k < 64; k += 1) given.add(itemOf(claim(`due-${n + k}`), now))
    for (let k = 0; k < 20; k += 1) given.add(itemOf(outcome(`sent-${n + k}`), now))
    n += 64
    const { calls } = given.take(now)
    const outcomes = calls.filter(({ sender }) => sender.startsWith('sent'))
    assert.ok(calls.length - outcomes.length >= 32, `${calls.length - outcomes.length} claims`)
    waitedMs = Math.max(waitedMs, ...outcomes.map(({ handedInAt }) => now - handedInAt))
  }
  assert.ok(waitedMs >= MAX_OUTCOME_WAIT_MS && waitedMs < MAX_OUTCOME_WAIT_MS + 2 * commitMs, `${waitedMs} ms`)
})

test('the deadlines move with the clock after what was handed in before, and before what came later', () => {
  const given = lanes()
  const before = Array.from({ length: 300 }, (_, n) => itemOf((n % 2 === 0 ? claim : outcome)(`incident-${n}`)))
  const moving = itemOf(shift)
  const after = [itemOf(claim('later')), itemOf(outcome('another')), itemOf(alert('mia'))]
  for (const item of [...before, moving, ...after]) given.add(item)
  const order = [...given.take(0).calls, ...given.take(0).calls]
  const movedAt = order.indexOf(moving)
  assert.deepEqual(new Set(order.slice(0, movedAt)), new Set(before))
  assert.deepEqual(new Set(order.slice(movedAt + 1)), new Set(after))
})

test('calls get a commit without rows, and rows every second one, however many calls there are', () => {
  const given = lanes()
  for (let n = 0; n < 600; n += 1) given.add(rowOf(`user-${n}`))
  const counts = Array.from({ length: 5 }, () => {
    given.add(itemOf(alert('mia')))
    const { calls, rows } = given.take(0)
    return [calls.length, rows.length]
  })
  assert.deepEqual(counts, [
    [1, 0],
    [1, 500],
    [1, 0],
    [1, 100],
    [1, 0],
  ])
})

async function storeWithTwo(t: TestContext, maxWaitingBytes: number) {
  const store = await openAt(t, await freshDir(t), { maxWaitingBytes })
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const reporters = []
  for (const externalUserId of ['flooder', 'mia']) {
    const { id } = await store.ensureUser({ appId: application.id, externalUserId, id: randomUUID(), now: momentAt(0) })
    reporters.push({ appId: application.id, userId: id })
  }
  return { store, flooder: reporters[0]!, mia: reporters[1]! }
}

test('a backlog of telemetry delays neither the write check nor another user’s row', async (t) => {
  const { store, flooder, mia } = await storeWithTwo(t, 32 * MAX_BYTES)
  const settled: string[] = []
  const backlog = Array.from({ length: 5000 }, (_, k) =>
    appended(store, flooder, telemetryAt(k)).then(() => settled.push('backlog')),
  )
  const proof = store.checkWritable().then(() => settled.push('proof'))
  const row = appended(store, mia, telemetryAt(0)).then(() => settled.push('mia'))
  await Promise.all([...backlog, proof, row])
  // That is, with the first batch.
  assert.ok(settled.indexOf('proof') <= 501, `${settled.indexOf('proof')}`)
  assert.ok(settled.indexOf('mia') < 500, `${settled.indexOf('mia')}`)
})

test('beyond the bound a row is refused as overloaded, and an alarm is stored', async (t) => {
  const { store, flooder, mia } = await storeWithTwo(t, MAX_BYTES)
  const kindOf = (error: unknown) => (error instanceof StoreError ? error.kind : 'none')
  const outcomes = Array.from({ length: 5000 }, (_, k) =>
    appended(store, flooder, telemetryAt(k)).then(() => 'stored', kindOf),
  )
  assert.ok(store.isCongested(flooder.userId))
  const pressed = store.changeIncident(
    { reporter: { ...mia, deviceId: null } },
    raiseAt(0, undefined, { reporterId: mia.userId }),
  )
  assert.equal((await pressed).verdict, 'opened')
  assert.deepEqual([...new Set(await Promise.all(outcomes))].toSorted(), ['overloaded', 'stored'])
  assert.equal(store.isCongested(flooder.userId), false)
})
