import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'

type Finding = { readonly code: string; readonly text: string }

// rules.md#contacts.
test('contacts that were changed from the own session are in the audit log and, for a week, in readiness', async (t) => {
  const site = await startSite(t)
  const { user } = site
  const { store } = site.service
  const finding = async () => {
    const { body } = await user.rest('GET', '/v1/sdk/readiness')
    return (body as { findings: Finding[] }).findings.find(({ code }) => code === 'contacts_changed')
  }
  assert.equal(await finding(), undefined)
  const added = await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436601234567' })
  const { id } = added.body as { id: string }
  const path = `/v1/sdk/contacts/${id}`
  await user.rest('PUT', path, { name: 'Ana', phone: '+436601234567', priority: 1 })
  await user.rest('PUT', path, { name: 'Ana', phone: '+436601234568' })
  await user.rest('DELETE', path)
  await user.rest('DELETE', path)
  const { items } = await store.auditRows({ after: null, limit: 100 })
  const about = { action: 'contacts.changed', userId: user.userId, subject: id, address: null }
  assert.deepEqual(
    items.map(({ action, userId, subject, address, details }) => ({ action, userId, subject, address, details })),
    [
      { ...about, details: { change: 'removed' } },
      { ...about, details: { change: 'changed', fields: ['phone'] } },
      { ...about, details: { change: 'added' } },
    ],
  )
  assert.match(
    (await finding())?.text ?? '',
    /^The emergency contacts were changed on \w+ \d+, \d{4}, from your phone\.$/,
  )
  await site.advance('168 h')
  assert.equal(await finding(), undefined)
})

test('rows about contacts are bounded, the changes themselves are not', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { user } = site
  const [ana] = await site.service.store.contacts(user.userId)
  for (let k = 0; k < 40; k += 1) {
    assert.equal((await user.rest('PUT', `/v1/sdk/contacts/${ana!.id}`, { name: `Ana ${k}` })).status, 200)
  }
  const { items } = await site.service.store.auditRows({ after: null, limit: 100 })
  assert.equal(items.length, 30)
})
