import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../src/adapters/stores/sqlite/open-store.ts'
import { defaultSettings } from '../../src/core/incident/settings.ts'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const quiet = { info() {}, warn() {}, error() {} }
const meter = { count() {}, observe() {} }

test('switching legacy topics off ends the connections that have them', async (t) => {
  const site = await startSite(t, { contacts: [], legacy: true })
  const [client] = site.user.clients
  const { appId, externalUserId } = site.user.account
  await site.user.publishes(`tel/${externalUserId}/data`, { timestamp: '2026-03-01T11:59:58Z' })
  // Does what the command line does, like a separate process.
  const elsewhere = await openStore({
    dataDir: site.dataDir,
    defaults: defaultSettings,
    leaveNotices: true,
    writesOnDemand: true,
    log: quiet,
    meter,
  })
  t.after(() => elsewhere.close())
  await elsewhere.updateApplication(appId, { legacy: false })
  await until('the connection ends', () => !client!.connected)
  await site.user.connect({ protocolVersion: 5 })
  await assert.rejects(site.user.publishes(`tel/${externalUserId}/data`, { timestamp: '2026-03-01T11:59:59Z' }))
})
