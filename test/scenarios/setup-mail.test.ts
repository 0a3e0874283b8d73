import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/core/account/settings.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import { type Site, startSite } from '../harness/site.ts'
import { startSmtpServer } from '../harness/smtp-server.ts'
import { until } from '../harness/wait.ts'

// setup.md: the mail server

const ANA = 'ana@example.com'
const EVA = 'eva@hut.example'

/** A site without a mail server. `set`: sets keys of the part `mail` with both proofs. */
async function mailless(t: TestContext) {
  const site = await startSite(t, { settings: { voice: false, rounds: 1, persistHours: 0 } })
  await site.user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436601234567', email: ANA })
  const { store, listeners } = site.service
  const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now(), EVA)
  const set = async (values: object) => {
    const answer = await eva.ask('PUT', '/setup/mail', { values, proof: eva.proof() })
    await site.advance('30 s')
    return answer
  }
  return { site, eva, set }
}

const urlOf = ({ port }: { readonly port: number }) => `smtp://127.0.0.1:${port}`
const mailItem = async ({ user }: Site): Promise<any> =>
  (await user.openIncident()).actuators.items.find((item: any) => item.type === 'email')

test('a mail server that is set in the console gets the mails of the next alarm; it asks for both proofs', async (t) => {
  const [smtp, { site, eva, set }] = await Promise.all([startSmtpServer(t), mailless(t)])
  await site.user.presses()
  await site.advance('10 s')
  assert.equal(await mailItem(site), undefined)
  await site.user.ends('cancel')
  await site.advance('1 s')
  const values = { 'smtp.url': urlOf(smtp), 'smtp.from': 'sos@hut.example' }
  const unproved = await eva.ask('PUT', '/setup/mail', { values })
  assert.equal(unproved.json.error.reason, 'proofs_needed')
  const lone = await eva.ask('PUT', '/setup/mail', { values: { 'smtp.url': urlOf(smtp) }, proof: eva.proof() })
  assert.deepEqual(lone.json.error.fields, [{ field: 'smtp.from', message: 'is required with smtp.url' }])
  const done = await set(values)
  assert.equal(done.status, 200, done.text)
  const { section, value, set: isSet, secret } = done.json.settings.find(({ key }: any) => key === 'smtp.url')
  assert.deepEqual({ section, value, isSet, secret }, { section: 'mail', value: null, isSet: true, secret: true })
  await site.user.presses()
  await site.advance('10 s')
  await smtp.mailTo(ANA)
  assert.equal((await mailItem(site)).status, 'sent')
})

test('a mail that waits goes to the new server, one that is under way ends at the former, none leaves twice', async (t) => {
  const [first, second, { site, set }] = await Promise.all([startSmtpServer(t), startSmtpServer(t), mailless(t)])
  await set({ 'smtp.url': urlOf(first), 'smtp.from': 'sos@hut.example' })
  first.acts.GREETING = 'close'
  await site.user.presses()
  await site.advance('10 s')
  assert.equal((await mailItem(site)).status, 'scheduled')
  assert.equal((await set({ 'smtp.url': urlOf(second) })).status, 200)
  await second.mailTo(ANA)
  assert.equal((await mailItem(site)).status, 'sent')
  assert.equal(first.mails.filter(({ to }) => to.includes(ANA)).length, 0)
  assert.equal(second.mails.filter(({ to }) => to.includes(ANA)).length, 1)
})

test('a mail that the former server has taken, without its reply yet, ends there, and the new one gets none', async (t) => {
  const [first, second, { site, eva, set }] = await Promise.all([startSmtpServer(t), startSmtpServer(t), mailless(t)])
  await set({ 'smtp.url': urlOf(first), 'smtp.from': 'sos@hut.example' })
  const { promise, resolve: reply } = Promise.withResolvers<void>()
  first.holds = promise
  await site.user.presses()
  // It ends once nothing is being sent.
  const passed = site.advance('10 s')
  await first.mailTo(ANA)
  const inForce = () => site.logged(/settings of the console are in force/).length
  const before = inForce()
  const values = { 'smtp.url': urlOf(second) }
  assert.equal((await eva.ask('PUT', '/setup/mail', { values, proof: eva.proof() })).status, 200)
  await until('the new server is in force', () => inForce() > before)
  assert.equal((await mailItem(site)).status, 'scheduled')
  reply()
  await passed
  await until('it is sent', async () => (await mailItem(site)).status === 'sent')
  await site.advance('3 min')
  assert.deepEqual(
    [first, second].map(({ mails }) => mails.filter(({ to }) => to.includes(ANA)).length),
    [1, 0],
  )
})

test('a mail that this node cannot send, because it knows no server, waits until it does', async (t) => {
  const [smtp, { site, set }] = await Promise.all([startSmtpServer(t), mailless(t)])
  const { store } = site.service
  // As another node plans it, which has read the settings first.
  await store.planWith({ ...defaultSettings, email: true })
  await site.user.presses()
  await site.advance('10 s')
  const { incidentId } = await site.user.openIncident()
  const rows = (await store.incident(incidentId))!.incident.deliveries
  const { status, error } = rows.find(({ channel }) => channel === 'email')!
  assert.deepEqual([status, error], ['scheduled', 'no provider for mails'])
  assert.equal((await store.outbox({ incidentId: null })).length, 1, 'no SMS waits for it')
  await set({ 'smtp.url': urlOf(smtp), 'smtp.from': 'sos@hut.example' })
  await site.advance('1 min')
  await smtp.mailTo(ANA)
  await until('it is sent', async () => (await mailItem(site)).status === 'sent')
})

test('without a server again, no mail is planned; every administrator hears of it through the former one', async (t) => {
  const [smtp, { site, eva, set }] = await Promise.all([startSmtpServer(t), mailless(t)])
  await set({ 'smtp.url': urlOf(smtp), 'smtp.from': 'sos@hut.example' })
  await site.advance('2 min')
  await smtp.mailTo(EVA)
  const gone = await set({ 'smtp.url': null, 'smtp.from': null })
  assert.equal(gone.status, 200, gone.text)
  await site.user.presses()
  await site.advance('10 s')
  assert.equal(await mailItem(site), undefined)
  await site.advance('2 min')
  const news = await smtp.mailTo(EVA, 2)
  assert.match(news.subject, /has changed the setup \(mail\)/)
  // An undo brings the server back, with its password.
  const back = await eva.ask('POST', '/setup/undo', { change: gone.json.changes[0].id, proof: eva.proof() })
  assert.equal(back.status, 200, back.text)
  await site.user.ends('cancel')
  await site.advance('1 min')
  await site.user.presses()
  await site.advance('10 s')
  await smtp.mailTo(ANA)
})

test('a node that cannot read the server is not ready, and leaves its mails until it can', async (t) => {
  const [smtp, { site, set }] = await Promise.all([startSmtpServer(t), mailless(t)])
  await set({ 'smtp.url': urlOf(smtp), 'smtp.from': 'sos@hut.example' })
  const { store, listeners } = site.service
  const rows = await store.siteSettings()
  const before = rows.filter(({ key }) => key === 'smtp.url').map(({ key, value }) => ({ key, value, sealed: true }))
  const damaged = { key: 'smtp.url', value: 'tocsin1:AAAAAAAAAAAA:AAAA', sealed: true }
  const at = site.clock.now()
  const change = { id: 'damage', at, author: 'Eva', section: 'mail', before, after: [damaged] }
  await store.changeSettings(change, entry({ at, actor: COMMAND, action: 'setup.change' }))
  // Any change rereads, as a start does.
  await set({ 'smtp.perSecond': 7 })
  const ready = await (await fetch(`${listeners.http}/readyz`)).text()
  assert.match(ready, /this node cannot read smtp.url/)
  await site.user.presses()
  await site.advance('20 s')
  assert.equal((await mailItem(site)).status, 'scheduled')
  assert.equal((await store.outbox({ incidentId: null })).length, 1, 'no SMS waits for it')
  await set({ 'smtp.url': urlOf(smtp) })
  await site.advance('10 s')
  await smtp.mailTo(ANA)
  await until('it is sent', async () => (await mailItem(site)).status === 'sent')
})
