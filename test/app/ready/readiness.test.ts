import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Phase, readiness } from '../../../src/app/ready/readiness.ts'
import { StoreError } from '../../../src/ports/store.ts'

const well = {
  phase: (): Phase => 'running',
  checkWritable: async () => {},
  trouble: (): string | null => null,
  brokerAnswers: async () => {},
  overdueMs: async () => 5_000,
  leaseTrouble: (): string | null => null,
  canaryTrouble: (): string | null => null,
  secretsTrouble: (): string | null => null,
}

const reasons = ({ checkWritable, trouble, ...parts }: typeof well) =>
  readiness({ store: { checkWritable, trouble }, ...parts })()

test('with everything well there is no reason', async () => {
  assert.deepEqual(await reasons(well), [])
})

for (const [what, parts, reason] of [
  [
    'a full disk',
    { checkWritable: () => Promise.reject(new StoreError('the disk is full', 'disk_full')) },
    'the store cannot write: the disk is full',
  ],
  [
    'a disk with its fault',
    { checkWritable: () => Promise.reject(new Error('SQLITE_IOERR: /var/lib/tocsin')) },
    'the store cannot write: a disk or database fault; see the log',
  ],
  [
    'a broker that accepts no connections',
    { brokerAnswers: () => Promise.reject(new Error('ECONNREFUSED')) },
    'the MQTT broker does not accept connections',
  ],
  ['a store that cannot be read', { overdueMs: () => Promise.reject(new Error('EIO')) }, 'the store cannot be read'],
  [
    'a store that is in trouble',
    { trouble: () => 'the database log (WAL) has grown to 154 MB: another process is still reading it' },
    'the database log (WAL) has grown to 154 MB: another process is still reading it',
  ],
  ['a start in progress', { phase: (): Phase => 'starting', overdueMs: async () => 9_000 }, 'the service is starting'],
  ['a stop in progress', { phase: (): Phase => 'stopping' }, 'the service is stopping'],
  [
    'a node without a lease',
    { leaseTrouble: () => 'this node may not send: it cannot renew its lease in the database' },
    'this node may not send: it cannot renew its lease in the database',
  ],
  [
    'a node without the key of sealed values',
    { secretsTrouble: () => 'this node has no TOCSIN_SECRETS_KEY' },
    'this node has no TOCSIN_SECRETS_KEY',
  ],
  ['something due for 6 s', { overdueMs: async () => 6_000 }, 'the dispatcher is 6 s late'],
] as const) {
  test(`${what} is a reason, and the only one`, async () => {
    assert.deepEqual(await reasons({ ...well, ...parts }), [reason])
  })
}

test('a part that does not answer is one reason, after 3 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const never = () => new Promise<never>(() => {})
  const asked = reasons({ ...well, checkWritable: never, brokerAnswers: never, overdueMs: never })
  t.mock.timers.tick(3_000)
  assert.deepEqual(await asked, ['the store does not answer', 'the MQTT broker does not answer'])
})

test('every reason is listed', async () => {
  const parts = { brokerAnswers: () => Promise.reject(new Error('ECONNREFUSED')), overdueMs: async () => 60_000 }
  assert.deepEqual(await reasons({ ...well, ...parts }), [
    'the MQTT broker does not accept connections',
    'the dispatcher is 60 s late',
  ])
})

test('a stop that begins during the check is the reason, and the only one', async () => {
  let phase: Phase = 'running'
  const brokerAnswers = () => {
    phase = 'stopping'
    return Promise.reject(new Error('ECONNREFUSED'))
  }
  assert.deepEqual(await reasons({ ...well, phase: () => phase, brokerAnswers }), ['the service is stopping'])
})
