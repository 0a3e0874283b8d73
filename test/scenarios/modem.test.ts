import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startGammu } from '../harness/gammu.ts'
import { metric } from '../harness/metric.ts'
import { type Site, startSite } from '../harness/site.ts'
import { newSpool, type SpoolDirectory } from '../harness/spool.ts'
import { one, startTwilio } from '../harness/twilio-stand-in.ts'
import { until } from '../harness/wait.ts'

// rules.md#providers, sms.md#sms-answers.

const oneRound = { rounds: 1, voice: false, watchMinutes: 0 }
const modem = (spool: SpoolDirectory, more: object = {}) => ({ spool: spool.path, smsPerMinute: 600, ...more })
const ANA = '+436600000001'
const status = async (site: Site): Promise<string> => (await site.user.openIncident()).status
const troubles = async (site: Site): Promise<readonly string[]> => {
  const answer = await fetch(`${site.service.listeners.http}/readyz`)
  const { reasons } = (await answer.json()) as { readonly reasons: readonly string[] }
  return reasons.filter((reason) => reason.startsWith('SMS modem'))
}

test('with gammu-smsd: an alarm leaves through the modem, and the answer by SMS acknowledges it', async (t) => {
  const gammu = await startGammu(t)
  if (gammu === null) return
  const { spool, smsdConfig } = gammu
  const site = await startSite(t, {
    contacts: ['Ana', 'Ben'],
    settings: { ...oneRound, contactIntervalSeconds: 0 },
    config: { notifications: { providers: ['modem'] }, modem: modem(spool, { smsdConfig }) },
  })
  await site.user.presses()
  await site.advance('15 s')
  const texts = await spool.texts('sent')
  assert.equal(texts.length, 2)
  const [toAna = ''] = texts
  assert.match(toAna, /^SOS: Mia Moser needs help! Answer by SMS: OK \d{4} or NO \d{4}\. .*\/t\//)
  const { contacts } = (await site.user.openIncident()).actuators.items[0]
  assert.deepEqual(
    contacts.map((contact: any) => contact.channels[0].status),
    ['sent', 'sent'],
  )
  const [, code] = /OK (\d+)/.exec(toAna)!
  await gammu.receives(ANA, `ok ${code}`)
  await until('the answer acknowledges', async () => (await status(site)) === 'acknowledged')
  await until('Ana is told', async () => (await spool.texts('sent')).find((text) => /^Thank you/.test(text)))
  await until('the file is gone', async () => (await spool.names('inbox')).length === 0)

  const metrics = await (await fetch(`${site.service.listeners.http}/metrics`)).text()
  assert.match(metrics, /^tocsin_modem_ready 1$/m)
  assert.match(metrics, /^tocsin_modem_signal_ratio\{modem="gammu"\} 0\.42$/m)
  assert.match(metrics, /^tocsin_sms_answers_total\{answer="help"\} 1$/m)
  assert.deepEqual(await troubles(site), [])
  await gammu.stop()
  await site.advance('31 s')
  await until('the stopped daemon is noticed', async () =>
    (await troubles(site)).includes('SMS modem: gammu-smsd is not running'),
  )
})

test('where nobody could open a link, the answer by SMS does without one', async (t) => {
  const spool = await newSpool(t)
  spool.daemon()
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: oneRound,
    config: {
      publicUrl: 'http://localhost:8080',
      notifications: { providers: ['modem'] },
      modem: modem(spool),
    },
  })
  const { reasons } = (await (await fetch(`${site.service.listeners.http}/readyz`)).json()) as any
  assert.match(reasons.join(), /public_url_loopback: links at http:\/\/localhost:8080 open on this machine only/)
  await site.user.presses()
  await site.advance('10 s')
  const text = await until('the text has left', async () => (await spool.texts('sent'))[0])
  assert.match(text, /^SOS: Mia Moser needs help! Answer by SMS: OK \d{4} or NO \d{4}\. Location unknown\./)
  assert.doesNotMatch(text, /localhost|\/t\//)
  await spool.receives(ANA, /OK \d{4}/.exec(text)![0])
  await until('the answer acknowledges', async () => (await status(site)) === 'acknowledged')
})

test('what the modem refuses goes to the next provider at once, and its text has no code', async (t) => {
  const [spool, twilio] = await Promise.all([newSpool(t), startTwilio(t)])
  spool.daemon('error')
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: oneRound,
    config: { notifications: { providers: ['modem', 'twilio'] }, modem: modem(spool), twilio: twilio.config() },
  })
  await site.user.presses()
  await site.advance('10 s')
  assert.equal(twilio.messages.length, 1)
  assert.doesNotMatch(one(twilio.messages[0]!.params, 'Body'), /OK \d/)
  assert.match((await spool.texts('error'))[0]!, /OK \d\d/)
  assert.equal((await troubles(site)).length, 1)
})

test('a spool that is missing costs no start and no alarm: the next provider sends', async (t) => {
  const twilio = await startTwilio(t)
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: oneRound,
    config: {
      notifications: { providers: ['modem', 'twilio'] },
      modem: { spool: '/nonexistent/spool' },
      twilio: twilio.config(),
    },
  })
  assert.equal(site.logged(/a folder of modem\.spool does not exist/).length, 1)
  await site.user.presses()
  await site.advance('10 s')
  assert.equal(twilio.messages.length, 1)
})

test('what a contact texts besides is a note of the incident, and never says more than it should', async (t) => {
  const spool = await newSpool(t)
  spool.daemon()
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: oneRound,
    config: { notifications: { providers: ['modem'] }, modem: modem(spool) },
  })
  await site.user.presses()
  await site.advance('10 s')
  const { id } = (await site.service.store.incidents({ openOnly: true }))[0]!.incident
  await spool.receives(ANA, `I can see\u0007 the hut ${'x'.repeat(600)}`)
  const [note] = await until('the note is kept', async () => {
    const notes = await site.service.store.incidentNotes(id)
    return notes.length > 0 && notes
  })
  assert.deepEqual([note!.by, note!.text.slice(0, 20), note!.text.length], ['Ana (SMS)', 'I can see  the hut x', 500])
  assert.equal(await status(site), 'active')
  assert.deepEqual(site.logged(/I can see|36600000001/), [])
  await writeFile(join(spool.path, 'inbox', 'IN20260301.txt'), 'x')
  const malformed = () => metric(site.service, 'tocsin_sms_answers_total{answer="malformed"}')
  await until('a file that is no SMS is counted', async () => (await malformed()) === 1)
})
