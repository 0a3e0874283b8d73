import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { type Quotas, UNLIMITED } from '../../../../src/adapters/stores/shared/quotas.ts'
import type { FlatRow } from '../../../../src/adapters/stores/shared/telemetry-row.ts'
import { openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { migrate } from '../../../../src/adapters/stores/sqlite/engine/migrate.ts'
import type { Room } from '../../../../src/adapters/stores/sqlite/files/disk-reserve.ts'
import { outcomeAt, RowPacker } from '../../../../src/adapters/stores/sqlite/telemetry/packed-rows.ts'
import { batchRunner } from '../../../../src/adapters/stores/sqlite/writer/batch.ts'
import type { WriteCall } from '../../../../src/adapters/stores/sqlite/writes.ts'
import { defaultSettings } from '../../../../src/core/account/settings.ts'
import type { Command } from '../../../../src/core/incident/command.ts'
import { alertFrom } from '../../../../src/core/ingest/alert.ts'
import { compactPayload } from '../../../../src/core/ingest/stored-payload.ts'
import { bothClocks, type TwoClocks } from '../../../../src/lib/waited.ts'
import type { Committed, Withdrawal } from '../../../../src/ports/store.ts'
import { applicationCalled } from '../../../contract/site.ts'
import { isoAfter, momentAt } from '../../../core/build.ts'
import { freshDir } from '../../../fixtures/store-place.ts'

const letter = (topic: string): WriteCall => [
  'addDeadLetter',
  0,
  [{ userId: 'u', topic, reason: 'r', payload: new Uint8Array(500), receivedAt: 0 }],
]

/** A database with the user `u`, and a batch runner on it. A letter on the topic `faulty` fails like a damaged file. */
async function start(t: TestContext, quotas: Partial<Quotas> = {}, room: Room = 'enough') {
  const db = await openWriter(join(await freshDir(t), 'tocsin.db'))
  t.after(() => db.close())
  migrate(db)
  db.function('fault', () => {
    throw new Database.SqliteError('database disk image is malformed', 'SQLITE_CORRUPT')
  })
  db.exec(
    `CREATE TEMP TRIGGER faults BEFORE INSERT ON dead_letters WHEN new.topic = 'faulty' BEGIN SELECT fault(); END`,
  )
  const rooms: { now: Room; isFull: boolean } = { now: 'enough', isFull: false }
  db.function('full', () => {
    if (rooms.isFull) throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
  })
  db.exec('CREATE TEMP TRIGGER fills BEFORE INSERT ON device_states BEGIN SELECT full(); END')
  const commit = batchRunner(db, {
    reserve: {
      room: () => rooms.now,
      giveUp() {
        rooms.isFull = false
        rooms.now = 'given_up'
      },
    },
    leaveNotices: false,
    defaults: defaultSettings,
    quotas: { ...UNLIMITED, ...quotas },
  })
  const run = (calls: readonly WriteCall[], rows: readonly FlatRow[] = []) =>
    commit({ calls, rows: new RowPacker().pack(rows) })
  const application = applicationCalled('Hut')
  const user = { appId: application.id, externalUserId: 'hiker-1', id: 'u', now: 0 }
  run([
    ['createApplication', 0, [application, 'secret']],
    ['ensureUser', 0, [user]],
  ])
  rooms.now = room
  return { db, run, rooms, column: (sql: string) => db.prepare(sql).pluck().all() }
}

test('a fault of the database file undoes the whole batch, and the next one is committed', async (t) => {
  const { run, column } = await start(t)
  const topics = () => column('SELECT topic FROM dead_letters ORDER BY id')
  const faulty = run([letter('before'), letter('faulty'), letter('behind')])
  assert.equal('failed' in faulty && faulty.failed.kind, 'fault')
  assert.deepEqual(topics(), [])

  const next = run([letter('next')])
  assert.deepEqual('failures' in next && next.failures, [])
  assert.deepEqual(topics(), ['next'])
})

test('a write that fails half way is undone, and those around it are committed, once each', async (t) => {
  const { db, run, column } = await start(t, { deadLetterBytes: 16_000 })
  db.exec("CREATE TEMP TRIGGER refuses BEFORE INSERT ON application_secrets BEGIN SELECT RAISE(ABORT, 'no'); END")
  const create: WriteCall = ['createApplication', 0, [applicationCalled('Peak'), 'another secret']]
  const outcome = run([letter('before'), create, letter('behind'), create, letter('last')])
  assert.ok('results' in outcome)
  assert.deepEqual(
    outcome.failures.map(([index, { kind, message }]) => [index, kind, message]),
    [
      [1, 'fault', 'no'],
      [3, 'fault', 'no'],
    ],
  )
  assert.equal(outcome.results.length, 5)
  assert.deepEqual(column('SELECT topic FROM dead_letters ORDER BY id'), ['before', 'behind', 'last'])
  assert.deepEqual(column('SELECT name FROM applications'), ['Hut'])
  // Each counts once, although the first ran twice: the third step of 700 bytes has not been written down yet.
  assert.deepEqual(column('SELECT dead_letter_bytes FROM users'), [1_400])
})

// Otherwise the sender repeats it, is told of a duplicate, and the trail lacks the position for good.
test('a row is stored with its position in the trail or not at all, and those around it are stored', async (t) => {
  const { db, run, column } = await start(t)
  const now = momentAt(0)
  const alert = alertFrom({ timestamp: isoAfter(0), latitude: 0, longitude: 0 }, now)
  const press = { type: 'raise', reporterId: 'u', now, alert, incidentId: 'i', linkSecret: 's' } as Command
  run([['changeIncident', now, [{ openOf: 'u' }, press]]])
  db.exec(
    "CREATE TEMP TRIGGER refuses BEFORE INSERT ON trail WHEN new.latitude = 2 BEGIN SELECT RAISE(ABORT, 'no'); END",
  )
  const rowAt = (seconds: number): FlatRow => ({
    ...{
      appId: 'a',
      reporterId: 'u',
      deviceId: null,
      byDevice: false,
      ms: momentAt(seconds),
      nanos: 0,
      text: isoAfter(seconds),
      isArrival: false,
      receivedAt: now,
    },
    ...{
      compact: compactPayload({ timestamp: isoAfter(seconds) }, { time: null, deviceId: null }),
      latitude: seconds,
      longitude: 0,
      altitude: null,
      accuracy: null,
    },
  })
  const outcome = run([], [1, 2, 3].map(rowAt))
  assert.ok('rows' in outcome)
  assert.deepEqual(
    [0, 1, 2].map((n) => 'failed' in outcomeAt(outcome.rows, n)),
    [false, true, false],
  )
  const stored = [momentAt(1), momentAt(3)]
  assert.deepEqual(column('SELECT ms FROM telemetry ORDER BY ms'), stored)
  assert.deepEqual(column('SELECT ms FROM trail WHERE latitude > 0 ORDER BY ms'), stored)
})

// Otherwise the sender repeats it, and is told of an alarm that began without its position.
test('a press is stored with its position in the trail or not at all, and those around it are stored', async (t) => {
  const { db, run, column } = await start(t)
  db.exec("CREATE TEMP TRIGGER refuses BEFORE INSERT ON trail BEGIN SELECT RAISE(ABORT, 'no'); END")
  const now = momentAt(0)
  const alert = alertFrom({ timestamp: isoAfter(0), latitude: 2, longitude: 0 }, now)
  const press: WriteCall = [
    'changeIncident',
    now,
    [{ openOf: 'u' }, { type: 'raise', reporterId: 'u', now, alert, incidentId: 'i', linkSecret: 's' } as Command],
  ]
  const outcome = run([letter('before'), press, letter('behind')])
  assert.deepEqual('failures' in outcome && outcome.failures.map(([index]) => index), [1])
  assert.deepEqual(column('SELECT id FROM incidents'), [])
  assert.deepEqual(column('SELECT topic FROM dead_letters ORDER BY id'), ['before', 'behind'])
  db.exec('DROP TRIGGER refuses')
  run([press])
  assert.deepEqual(column('SELECT count(*) FROM trail JOIN incidents'), [1])
})

test('on a disk that is nearly full no drill begins, and a press does', async (t) => {
  const { run, column } = await start(t, {}, 'scarce')
  const now = momentAt(0)
  const alert = alertFrom({ timestamp: isoAfter(0), latitude: 0, longitude: 0 }, now)
  const begin = (incidentId: string, command: object): WriteCall => [
    'changeIncident',
    now,
    [{ openOf: 'u' }, { now, alert, incidentId, linkSecret: 's', ...command } as Command],
  ]
  const drilled = run([begin('exercise', { type: 'drill', toContacts: false })])
  assert.deepEqual('failures' in drilled && drilled.failures.map(([, { kind }]) => kind), ['disk_reserve'])
  const pressed = run([begin('real', { type: 'raise', reporterId: 'u' })])
  assert.deepEqual('failures' in pressed && pressed.failures, [])
  assert.deepEqual(column('SELECT id FROM incidents'), ['real'])
})

// rules.md#ends.
test('an end without a name is decided by the moment at which the writer runs it', async (t) => {
  const { run } = await start(t)
  const alert = alertFrom({ timestamp: isoAfter(0) }, momentAt(0))
  const press = { type: 'raise', reporterId: 'u', now: momentAt(0), alert, incidentId: 'i', linkSecret: 's' } as Command
  const end = { kind: 'unnamed', since: momentAt(10), decideBy: momentAt(15) } as const
  const cancel = { type: 'cancel', now: momentAt(10), end } as const
  const { wall, monotonic } = bothClocks()
  const ends = (handedIn: TwoClocks, withdrawal?: Withdrawal): WriteCall => [
    'changeIncident',
    momentAt(10),
    [{ openOf: 'u' }, cancel, undefined, { handedIn, withdrawal }],
  ]
  const outcome = run([
    ['changeIncident', momentAt(0), [{ openOf: 'u' }, press]],
    ends({ wall: wall - 6_000, monotonic }),
    ends({ wall, monotonic: monotonic - 6_000 }),
    ends({ wall, monotonic }, new Int32Array(new SharedArrayBuffer(4)).fill(1)),
    ends({ wall, monotonic }, new Int32Array(new SharedArrayBuffer(4))),
  ])
  assert.ok('results' in outcome)
  const verdicts = outcome.results.map((result) => (result as Committed).verdict)
  assert.deepEqual(verdicts, ['opened', 'too_late', 'too_late', 'too_late', 'changed'])
})

// devices.md#flags: otherwise the next press after a restart would be held.
test('on a full disk a tracker whose flag is clear again is written into the reserve, and nothing else of it', async (t) => {
  const { run, rooms, column } = await start(t)
  const at = momentAt(0)
  const identity = { id: 'd', appId: column('SELECT id FROM applications')[0] as string, userId: 'u', hardwareId: 't' }
  run([['pair', at, [{ ...identity, firmwareVersion: null, hardwareModel: null, now: at, limit: 10 }]]])
  const keep = (battery: number, isSet: boolean, isCleared: boolean): WriteCall => {
    const flag = isSet ? { heardAt: at, press: null, incidentId: 'i' } : null
    return ['keepFieldState', at, ['d', { heardAt: at, battery, flag }, isCleared]]
  }
  const battery = () => column("SELECT state ->> 'battery' FROM device_states")
  run([keep(90, true, false)])
  rooms.isFull = true
  const dropped = run([keep(80, true, false)])
  assert.equal('failed' in dropped && dropped.failed.kind, 'disk_full')
  assert.deepEqual([battery(), rooms.now], [[90], 'enough'])

  const outcome = run([keep(70, true, false), keep(60, false, true)])
  assert.deepEqual('failures' in outcome && outcome.failures.map(([index, { kind }]) => [index, kind]), [
    [0, 'disk_reserve'],
  ])
  assert.deepEqual([battery(), rooms.now], [[60], 'given_up'])
})

test('writes that were undone do not count against a quota', async (t) => {
  // A user's growth is counted in memory and written down in steps of a sixteenth of the quota: 1,000 bytes.
  const { run, column } = await start(t, { deadLetterBytes: 16_000 })
  const written = () => column('SELECT dead_letter_bytes FROM users')
  run([letter('before'), letter('faulty')])
  run([letter('one')])
  assert.deepEqual(written(), [0])
  run([letter('two')])
  assert.deepEqual(written(), [1_400])
})
