import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

test('the operator sets, extends and ends a timer of a user, and the audit log says so', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const store = await openHere(t, dataDir)
  await store.ensureUser({ appId, externalUserId: 'hiker-1', id: '0199aaaa-0000-7000-8000-000000000001', now: 0 })
  const of = [appId, 'hiker-1'] as const
  assert.equal((await tocsin('timer', 'list', ...of)).stdout, 'No timers.\n')
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

  const set = await answer('timer', 'set', ...of, inHours(1), '--note', 'Glungezer')
  assert.deepEqual([set.status, set.note], ['running', 'Glungezer'])
  const later = inHours(2)
  assert.equal((await answer('timer', 'extend', ...of, later)).dueAt, later)
  const refusals = [
    [['timer', 'set', ...of, 'tomorrow'], 'error: dueAt must be an RFC 3339 date-time with a zone\n'],
    [['timer', 'extend', ...of, inHours(-1)], 'error: dueAt must be in the future\n'],
    [['timer', 'end', appId, 'nobody'], 'error: the application has no such user\n'],
    [
      ['timer', 'end', ...of, '--timer', appId],
      'error: the user has no such timer; list them with: tocsin timer list APP USER\n',
    ],
  ] as const
  for (const [command, sentence] of refusals) {
    const { code, stderr } = await tocsin(...command)
    assert.deepEqual([code, stderr], [1, sentence])
  }
  assert.equal((await answer('timer', 'end', ...of, '--timer', set.id)).status, 'ended')
  const [listed] = await answer('timer', 'list', ...of)
  assert.deepEqual([listed.id, listed.status], [set.id, 'ended'])
  const rows = (await answer('audit', 'list')).filter(({ action }: { action: string }) => action === 'timer.change')
  assert.deepEqual(rows.map(({ details }: { details: { change: string } }) => details.change).sort(), [
    'timer ended',
    'timer extended',
    'timer set',
  ])
})
