import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

test('the operator starts exercises, sees how they went and ends them, and the audit log says so', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  await answer('app', 'actuator', 'set', appId, 'emergency_contacts')
  const store = await openHere(t, dataDir)
  const userOf = (n: number) =>
    store.ensureUser({
      appId,
      externalUserId: `u-${n}`,
      id: `0199aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`,
      now: 0,
    })
  assert.equal(
    (await tocsin('drill', 'report', appId)).stdout,
    'No exercise yet. Start one with: tocsin drill start APP\n',
  )
  const refused = async (...args: readonly string[]) => (await tocsin('drill', ...args)).stderr
  assert.equal(await refused('start', appId), 'error: the application has no enabled user\n')
  assert.match(await refused('start', appId, '--user', 'nobody'), /no such user, or the user is disabled/)
  assert.match(await refused('report', appId, '--since', 'yesterday'), /--since must be a date-time/)

  const [one] = [await userOf(1), await userOf(2)]
  const fields = { name: 'Ana', phone: '+43660000001' }
  await store.addContact(one.id, { id: '0199bbbb-0000-7000-8000-000000000001', fields, now: 0, limit: 5 })
  const started = await answer('drill', 'start', appId)
  assert.deepEqual(
    started.started.map(({ externalUserId }: { externalUserId: string }) => externalUserId),
    ['u-1', 'u-2'],
  )
  const { passedOver } = await answer('drill', 'start', appId, '--user', 'u-1')
  assert.deepEqual([passedOver[0].externalUserId, passedOver[0].reason], ['u-1', 'drill_open'])
  const reports = await answer('drill', 'report', appId)
  assert.equal(reports.length, 2)
  const { stdout } = await tocsin('drill', 'report', appId)
  assert.match(stdout, /u-1 .* active +Ana +no answer +sms scheduled, voice scheduled/)
  assert.match(stdout, /u-2 .* active +nobody/)
  assert.deepEqual(
    (await answer('drill', 'report', appId, '--user', 'u-2')).map(
      ({ externalUserId }: { externalUserId: string }) => externalUserId,
    ),
    ['u-2'],
  )
  assert.equal(await refused('report', appId, '--user', 'nobody'), 'error: the application has no such user\n')

  const ended = await answer('drill', 'end', appId, '--user', 'u-1')
  assert.deepEqual(
    ended.ended.map(({ externalUserId }: { externalUserId: string }) => externalUserId),
    ['u-1'],
  )
  assert.equal((await answer('drill', 'end', appId)).ended.length, 1)
  assert.equal((await tocsin('drill', 'end', appId)).stdout, 'No exercise was open.\n')
  const actions = (await answer('audit', 'list')).map(({ action }: { action: string }) => action)
  assert.deepEqual(
    ['drill.start', 'drill.end'].map((action) => actions.filter((found: string) => found === action).length),
    [2, 2],
  )

  await answer('drill', 'start', appId, '--user', 'u-2', '--contacts')
  await answer('drill', 'end', appId)
  const lately = await answer('drill', 'start', appId, '--user', 'u-2', '--contacts')
  assert.equal(lately.passedOver[0].reason, 'drilled_lately')
  for (let n = 3; n <= 101; n++) await userOf(n)
  assert.match(await refused('start', appId), /more than 100 users/)
  await answer('app', 'disable', appId)
  assert.equal(await refused('start', appId, '--user', 'u-1'), 'error: the application is disabled\n')
})
