import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

test('switching legacy topics off ends the connections that have them', async (t) => {
  const site = await startSite(t, { contacts: [], legacy: true })
  const [client] = site.user.clients
  const { appId, externalUserId } = site.user.account
  await site.user.publishes(`tel/${externalUserId}/data`, { timestamp: '2026-03-01T11:59:58Z' })
  await site.beside((store) => store.updateApplication(appId, { legacy: false }))
  await until('the connection ends', () => !client!.connected)
  await site.user.connect({ protocolVersion: 5 })
  await assert.rejects(site.user.publishes(`tel/${externalUserId}/data`, { timestamp: '2026-03-01T11:59:59Z' }))
})
