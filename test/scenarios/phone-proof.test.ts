import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PhoneUser } from '../harness/phone-user.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

// preparing.md#phone-proof.

const PHONE = '+436641234567'

const code = async ({ service }: Site, nth = 0): Promise<string> => {
  const found = await until(
    'the code has left',
    async () => (await service.store.outbox({ incidentId: null })).filter(({ to }) => to === PHONE)[nth],
  )
  return /^Your code for Hut: (\d{6})\. Do not give it to anyone\.$/.exec(found.text)![1]!
}
const ask = (user: PhoneUser) => user.rest('POST', '/v1/sdk/me/phone/code')
const prove = (user: PhoneUser, typed: string) => user.rest('POST', '/v1/sdk/me/phone/proof', { code: typed })
const profile = async (user: PhoneUser): Promise<any> => (await user.rest('GET', '/v1/sdk/me')).body
const wrong = (typed: string) => (typed === '000000' ? '000001' : '000000')

test('a number is proved with a code sent to it; another user’s proof takes it, and its former user reads that', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { user } = site
  assert.equal((await ask(user)).status, 409)
  await user.rest('PUT', '/v1/sdk/me', { phone: PHONE })
  assert.equal((await ask(user)).status, 202)
  const again = await ask(user)
  assert.deepEqual([again.status, (again.body as any).error.code], [429, 'E_SDK_PROFILE_RATE_LIMITED'])
  const first = await code(site)
  const refused = await prove(user, wrong(first))
  assert.deepEqual([refused.status, (refused.body as any).error.code], [400, 'E_SDK_PROFILE_VALIDATION'])
  const proved = await prove(user, first)
  assert.equal(proved.status, 200)
  assert.match((proved.body as any).smsCode, /^\d{4}$/)
  assert.equal((await profile(user)).phoneProvedAt, (proved.body as any).phoneProvedAt)
  assert.equal((await profile(user)).smsSos, null, 'the application takes no SOS by SMS')

  const { appId } = user.account
  await site.service.store.updateApplication(appId, { smsSos: true, smsNumber: '+436601111111' })
  const shown = { number: '+436601111111', code: (proved.body as any).smsCode, from: PHONE }
  assert.deepEqual([(await profile(user)).smsSos, (await profile(user)).user.smsSos], [shown, shown])
  const changed = await user.rest('POST', '/v1/sdk/me/sms-code', { smsCode: '0815' })
  assert.deepEqual([changed.status, (await profile(user)).smsSos.code], [200, '0815'])
  assert.equal((await user.rest('POST', '/v1/sdk/me/sms-code', { smsCode: '815' })).status, 400)

  const other = await site.newUser('other')
  await other.rest('PUT', '/v1/sdk/me', { phone: PHONE })
  assert.equal((await other.rest('POST', '/v1/sdk/me/sms-code', {})).status, 409)
  await site.advance('61 s')
  assert.equal((await ask(other)).status, 202)
  assert.equal((await prove(other, await code(site, 1))).status, 200)
  const former = await profile(user)
  assert.deepEqual([former.phoneProvedAt, former.smsSos.code], [null, null])
  assert.equal(former.phoneTakenAt, (await profile(other)).phoneProvedAt)
  const { items } = await site.service.store.auditRows({ after: null, limit: 10 })
  assert.deepEqual(
    items.filter(({ action }) => action === 'phone.taken').map(({ action, userId }) => [action, userId]),
    [['phone.taken', user.userId]],
  )
  assert.deepEqual(site.logged(/36641234567/), [])
})

test('a number in the profile changes nothing; another proof is told to the number that counted', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { user } = site
  await user.rest('PUT', '/v1/sdk/me', { phone: PHONE })
  await ask(user)
  await prove(user, await code(site))
  await site.service.store.updateApplication(user.account.appId, { smsSos: true })
  await user.rest('PUT', '/v1/sdk/me', { phone: '+436640000000' })
  const { phoneProvedAt, smsSos } = await profile(user)
  assert.deepEqual([phoneProvedAt, smsSos.from], [null, PHONE])
  await site.advance('61 s')
  await ask(user)
  const sent = await until('the code', async () =>
    (await site.service.store.outbox({ incidentId: null })).find(({ to }) => to === '+436640000000'),
  )
  await prove(user, /(\d{6})/.exec(sent.text)![1]!)
  assert.equal((await profile(user)).smsSos.from, '+436640000000')
  const told = await until(
    'the former number is told',
    async () => (await site.service.store.outbox({ incidentId: null })).filter(({ to }) => to === PHONE)[1],
  )
  const words = 'Hut: SOS by SMS no longer counts from this number. Not you? Look into your app.'
  assert.equal(told.text, words)
  // Whoever had the phone for a minute may have read that.
  await site.advance('23 h')
  await site.advance('58 min')
  await until('it is told once more', async () => {
    await site.advance('1 min')
    const all = await site.service.store.outbox({ incidentId: null })
    return all.filter(({ text, to }) => to === PHONE && text === words).length === 2
  })
})

test('a code waits behind every alarm, and lapses', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { user } = site
  await user.rest('PUT', '/v1/sdk/me', { phone: PHONE })
  await ask(user)
  const sent = await code(site)
  await site.advance('31 min')
  assert.equal((await prove(user, sent)).status, 400)
})
