import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

test('devices that fall silent are a warning, in one post however many, and so is their return; never an SOS', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], chat: true })
  const { user, service, clock } = site
  const { store } = service
  const [application] = await store.applications()
  const appId = application!.id
  const ids = Array.from({ length: 8 }, (_, n) => `T-${n}`)
  await store.registerHardware(
    appId,
    ids.map((hardwareId) => ({ hardwareId, codeHash: 'h', model: null })),
    clock.now(),
  )
  for (const hardwareId of ids) {
    const pairing = { id: `d of ${hardwareId}`, appId, userId: user.userId, hardwareId, now: clock.now(), limit: 10 }
    await store.pair({ ...pairing, firmwareVersion: null, hardwareModel: null })
  }
  await store.updateApplication(appId, { silentAfterMinutes: 60 })
  const reports = async (deviceId: string) => {
    const { status } = await user.rest('POST', '/v1/sdk/telemetry', {
      deviceId,
      timestamp: new Date(clock.now()).toISOString(),
      mobileBattery: 80,
    })
    assert.ok(status < 300, `${status}`)
  }
  const silent = async () =>
    (await store.hardwarePage({ appIds: null, text: null, after: null, limit: 10, onlySilent: true })).items.length
  const posts = () => site.chat.requests.map(({ json }) => String(json.text))

  for (const id of ids) await reports(id)
  await site.advance('50 min')
  await reports('T-0')
  await site.advance('2 min')
  const isHeard = (hardwareId: string) => async () =>
    (await store.heardDevices('', 10)).some(
      (one) => one.hardwareId === hardwareId && one.heardAt > clock.now() - 300_000,
    )
  await until('it is written down', isHeard('T-0'))
  await site.advance('18 min')
  await until('seven are silent', async () => (await silent()) === 7)
  await until('one post', () => posts().length === 1)
  assert.match(posts()[0]!, /^Hut: No longer heard from: T-1, T-2, T-3, T-4, T-5 and 2 more\. This is not an SOS/)
  await site.advance('20 min')
  assert.equal(posts().length, 1, 'once a fall')

  await reports('T-3')
  await site.advance('2 min')
  await until('it is written down', isHeard('T-3'))
  await site.advance('10 min')
  await until('the return', () => posts().length === 2)
  assert.equal(posts()[1], 'Hut: Heard from again: T-3.')
  assert.equal(await silent(), 6)
  assert.equal(await user.openIncident(), null)
  await site.phone('Ana').hasNothing()
})

test('a clock that is set ahead makes no device silent', async (t) => {
  const site = await startSite(t, { chat: true })
  const { user, service, clock } = site
  const { store } = service
  const [application] = await store.applications()
  const appId = application!.id
  await store.registerHardware(appId, [{ hardwareId: 'T-1', codeHash: 'h', model: null }], clock.now())
  const pairing = { id: 'd1', appId, userId: user.userId, hardwareId: 'T-1', now: clock.now(), limit: 10 }
  await store.pair({ ...pairing, firmwareVersion: null, hardwareModel: null })
  await store.updateApplication(appId, { silentAfterMinutes: 60 })
  await user.presses({ deviceId: 'T-1' })
  await site.advance('10 min')
  clock.set(5 * 3_600_000)
  await site.advance('50 min')
  const [before] = await store.heardDevices('', 1)
  assert.equal(before?.silentSince, null)
  await site.advance('30 min')
  const isSilent = async () => (await store.heardDevices('', 1))[0]!.silentSince !== null
  await until('it is silent once somebody has listened for as long', isSilent)
})
