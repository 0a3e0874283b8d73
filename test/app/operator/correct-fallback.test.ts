import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateApplication } from '../../../src/app/operator/applications.ts'
import { COMMAND } from '../../../src/core/operator/audit.ts'
import { StoreError } from '../../../src/ports/store-error.ts'
import { APP, momentAt, pressed } from '../../core/build.ts'

// rules.md#corrections. What a change does to an incident: test/contract/contacts.ts.

const by = { actor: COMMAND, address: null, now: momentAt(10) }
const desk = { fallbackContact: { name: 'Desk', phone: '+43512000' } }

/** A site with so many open incidents of the application behind others, the newest first. */
function site(count: number) {
  const { incident } = pressed({ contacts: ['Ana'] })
  const open = Array.from({ length: count }, (_, n) => ({ incident: { ...incident, id: `i${n}` } }))
  const did: string[] = []
  const disk = { isFull: false }
  const locked = new Set<string>()
  const store = {
    audited: () => ({ updateApplication: async () => ({ id: APP, language: 'de', ...desk }) }),
    async board(filter: object, { after, limit }: { after: string | null; limit: number }) {
      assert.deepEqual(filter, { state: 'open', statuses: null, applications: [APP], from: null, to: null, text: null })
      const from = Number(after ?? 0)
      const items = open.slice(from, from + limit)
      return { items, after: from + limit < open.length ? `${from + limit}` : null }
    },
    async changeIncident({ incidentId }: { incidentId: string }, { type }: { type: string }) {
      if (disk.isFull) throw new StoreError('no space left', 'disk_full')
      if (locked.has(incidentId)) throw new StoreError('another transaction has the row locked', 'busy')
      did.push(`${type} ${incidentId}`)
      return { verdict: 'unchanged' }
    },
  }
  const endSessions = (appId: string) => void did.push(`end sessions of ${appId}`)
  return { did, disk, locked, update: () => updateApplication({ store, endSessions } as never, APP, desk, by) }
}

test('every open incident of the application has the new fallback contact, however many are open', async () => {
  const { did, update } = site(1234)
  await update()
  assert.equal(did.length, 1 + 2 * 1234)
  assert.equal(did.at(-1), 'addContact i1233')
})

test('the sessions of an application that is disabled do not wait for its incidents, nor for a full disk', async () => {
  const { did, disk, update } = site(2)
  await update()
  assert.equal(did[0], `end sessions of ${APP}`)
  disk.isFull = true
  await assert.rejects(update(), { kind: 'disk_full' })
  assert.equal(did.at(-1), `end sessions of ${APP}`)
})

test('an incident that cannot be changed just now keeps the contact from no other, and the update can be made again', async () => {
  const { did, locked, update } = site(3)
  locked.add('i1')
  await assert.rejects(update(), { kind: 'busy' })
  assert.deepEqual(did.slice(1), ['updateContact i0', 'addContact i0', 'updateContact i2', 'addContact i2'])
  locked.clear()
  await update()
})
