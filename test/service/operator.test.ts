import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '../../src/core/operator/audit.ts'
import { Closers } from '../../src/service/closers.ts'
import { prepareOperatorApi } from '../../src/service/operator.ts'
import { testConfig } from '../harness/test-config.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'

test('whoever looks at incidents and at people has one number of audit rows an hour', async (t) => {
  const rows: AuditEntry[] = []
  const basis = {
    store: { addAuditRow: async (row: AuditEntry) => void rows.push(row) },
    clock: new VirtualClock(),
    door: { follow: () => undefined },
    talk: { follow: () => undefined },
    ids: { secret: () => 'a secret of the era' },
    nodes: null,
    machineTimeZone: () => 'UTC',
  }
  const onCallWatch = { changed: () => undefined, watched: () => undefined }
  const needs = { sending: {}, health: {}, addresses: { publicUrl: () => 'http://localhost' }, onCallWatch }
  const closers = new Closers()
  t.after(() => closers.closeAll())
  const operator = prepareOperatorApi(testConfig('/nowhere'), basis as never, needs as never, closers)
  const asker = { actor: { kind: 'operator', id: 'ana', name: 'Ana' }, address: 'hut' } as const
  const viewsUser = (userId: string) =>
    operator.noteLook({ ...asker, action: 'user.view', appId: 'a', userId, subject: null })
  const viewsIncidents = () =>
    operator.incidents.noteList({ ...asker, grant: { role: 'viewer', applications: null } }, { application: null })
  for (let user = 1; user < 600; user += 1) viewsUser(`user ${user}`)
  viewsIncidents()
  assert.equal(rows.length, 600)
  assert.deepEqual(rows.at(-1)?.details, { more: true }, 'the last row, which says that there were more')
  viewsUser('another')
  assert.equal(rows.length, 600)
})
