import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldText, heldView } from '../../src/cli/held-incidents.ts'
import { CANARY_APP_ID } from '../../src/core/account/canary.ts'
import type { Incident } from '../../src/core/incident/incident.ts'

test('a backup that was made while the canary pressed asks nobody to resume its incident', () => {
  const real = {
    id: 'i1',
    appId: 'a1',
    externalUserId: 'hiker-1',
    state: { status: 'active' },
    openedAt: 0,
  } as Incident
  const canary: Incident = { ...real, id: 'i2', appId: CANARY_APP_ID, externalUserId: 'canary-1' }
  assert.deepEqual(
    heldView([canary, real]).map(({ incidentId }) => incidentId),
    ['i1'],
  )
  assert.match(heldText([canary, real]), /tocsin incident resume/)
  assert.equal(heldText([canary]), 'No incidents are open.')
})
