import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { adminOf } from '../harness/operator-client.ts'
import { signedIn } from '../harness/signed-in.ts'
import { type Site, type SiteOptions, startSite } from '../harness/site.ts'
import { type SmtpServer, startSmtpServer } from '../harness/smtp-server.ts'
import { until } from '../harness/wait.ts'

const ANA = 'ana@example.com'
const LINK = /https:\/\/sos\.hut\.example(\/t\/[\w-]+)/

/** A site with a mail server, and Ana, who has a number and an address. */
async function mailingSite(
  t: TestContext,
  options: SiteOptions = {},
  language = 'en',
): Promise<{ site: Site; smtp: SmtpServer; anaId: string }> {
  const smtp = await startSmtpServer(t)
  const config = {
    publicUrl: 'https://sos.hut.example',
    smtp: { url: `smtp://127.0.0.1:${smtp.port}`, from: 'Alpine Rescue <sos@hut.example>' },
    ...options.config,
  }
  const site = await startSite(t, { settings: { voice: false, rounds: 1, persistHours: 0 }, ...options, config })
  const contact = { name: 'Ana', phone: '+436601234567', email: ANA, language }
  const added = await site.user.rest('POST', '/v1/sdk/contacts', contact)
  return { site, smtp, anaId: (added.body as { id: string }).id }
}

const mailItem = async ({ user }: Site): Promise<any> =>
  (await user.openIncident()).actuators.items.find((item: any) => item.type === 'email')

const failureOf = async (site: Site) => {
  const { status, deliveries } = await mailItem(site)
  return [status, deliveries[0].error]
}

suite('e-mail to contacts', () => {
  test('a press goes out as SMS and mail, the link in the mail answers, and a mail says how it ended', async (t) => {
    const { site, smtp, anaId } = await mailingSite(t)
    await site.user.presses({ latitude: 47.0712, longitude: 12.6912 })
    const planned = await mailItem(site)
    assert.deepEqual([planned.status, planned.outcome, planned.updatedAt], ['scheduled', 'pending', undefined])
    await site.advance('10 s')
    const mail = await smtp.mailTo(ANA)
    assert.equal(mail.subject, 'SOS: Mia Moser needs help!')
    assert.equal(
      mail.text.replace(LINK, 'LINK').trimEnd(),
      [
        'SOS: Mia Moser needs help!',
        '',
        'Tap to respond:',
        'LINK',
        '',
        'Location just now: https://maps.google.com/?q=47.07120,12.69120',
        '',
        'Sent by Hut.',
        'Nobody reads replies to this e-mail.',
      ].join('\n'),
    )
    const [sms] = await site.service.store.outbox({ incidentId: null })
    assert.equal(LINK.exec(sms!.text)?.[1], LINK.exec(mail.text)?.[1], 'the same link')
    const item = await mailItem(site)
    const [delivery] = item.deliveries
    assert.deepEqual([item.id, item.status, item.outcome, item.deliveries.length], ['email', 'sent', 'success', 1])
    assert.deepEqual([delivery.contactId, delivery.provider, delivery.status], [anaId, 'email', 'sent'])
    const path = LINK.exec(mail.text)![1]
    const answer = await fetch(`${site.service.listeners.http}${path}/ack`, { method: 'POST', redirect: 'manual' })
    assert.equal(answer.status, 303)
    const { status, actuators } = await site.user.openIncident()
    const [ana] = actuators.items[0].contacts
    assert.deepEqual([status, ana.contactId, typeof ana.acknowledgedAt], ['acknowledged', anaId, 'string'])
    await site.user.ends('cancel')
    await site.advance('1 s')
    const closing = await smtp.mailTo(ANA, 2)
    assert.equal(closing.subject, "SOS ended from Mia Moser's phone, nobody else confirmed it: call Mia Moser!")
    assert.doesNotMatch(closing.text, /Location|maps\.google/)
    assert.equal(smtp.mails.length, 2)
  })

  for (const [language, subject, ask, end] of [
    ['de', 'SOS: Mia Moser braucht Hilfe!', 'Hier antworten:', 'Antworten auf diese E-Mail liest niemand.'],
    ['fr', "SOS : Mia Moser a besoin d'aide !", null, 'Personne ne lit les réponses à cet e-mail.'],
    ['es', null, null, 'Nadie lee las respuestas a este correo.'],
    ['it', null, null, 'Nessuno legge le risposte a questa e-mail.'],
  ] as const) {
    test(`a mail is in the contact's language: ${language}`, async (t) => {
      const { site, smtp } = await mailingSite(t, {}, language)
      await site.user.presses()
      await site.advance('10 s')
      const mail = await smtp.mailTo(ANA)
      assert.match(mail.subject, /^SOS.*Mia Moser/)
      if (subject !== null) assert.equal(mail.subject.replaceAll('\u00a0', ' '), subject)
      if (ask !== null) assert.ok(mail.text.includes(ask), mail.text)
      assert.ok(mail.text.includes(end), mail.text)
      assert.equal(mail.header('Content-Language'), language)
    })
  }

  test('a mail server that is down delays no SMS, and gets the mail once it is back', async (t) => {
    const { site, smtp } = await mailingSite(t)
    smtp.acts.GREETING = 'close'
    await site.user.presses()
    await site.advance('10 s')
    const texts = await site.service.store.outbox({ incidentId: null })
    assert.equal(texts.length, 1)
    assert.equal((await mailItem(site)).status, 'scheduled')
    assert.equal(smtp.mails.length, 0)
    delete smtp.acts.GREETING
    await site.advance('20 s')
    await smtp.mailTo(ANA)
    assert.equal((await mailItem(site)).status, 'sent')
  })

  test('a recipient whom the server refuses is failed, with the reason, and the alarm goes on as without mail', async (t) => {
    const { site, smtp } = await mailingSite(t)
    smtp.acts.RCPT = '550 5.1.1 nobody'
    await site.user.presses()
    await site.advance('30 s')
    const { status, deliveries } = await mailItem(site)
    assert.deepEqual([status, deliveries[0].error], ['failed', 'upstream SMTP 550'])
    assert.equal((await site.service.store.outbox({ incidentId: null })).length, 1)
  })

  test('a name cannot add headers or links to a mail', async (t) => {
    const { site, smtp } = await mailingSite(t)
    await site.user.rest('PUT', '/v1/sdk/me', { name: 'Mia evil.example/x @all' })
    await site.user.presses()
    await site.advance('10 s')
    const { subject, text } = await smtp.mailTo(ANA)
    assert.equal(subject, 'SOS: Mia evil. example/ x @ all needs help!')
    assert.doesNotMatch(text, /evil\.example/)
  })

  test('a silent emergency: the mail tells nobody to call, and none goes to the address of the person', async (t) => {
    const { site, smtp } = await mailingSite(t)
    await site.user.rest('PUT', '/v1/sdk/me', { email: 'Mia@example.com' })
    const own = { name: 'Own', phone: '+436601234568', email: 'mia@example.com' }
    await site.user.rest('POST', '/v1/sdk/contacts', own)
    const { phone } = (await site.user.rest('PUT', '/v1/sdk/me', { phone: '+436601234567890' })).body as any
    const ownNumber = { name: 'Me at work', phone, email: 'moser@work.example' }
    await site.user.rest('POST', '/v1/sdk/contacts', ownNumber)
    await site.user.presses({ silent: true })
    await site.advance('2 min')
    const { subject, text } = await smtp.mailTo(ANA)
    assert.equal(subject, 'SOS: Mia Moser needs help!')
    assert.match(text, /Do not call or text Mia Moser: somebody may see it!/)
    assert.deepEqual(
      smtp.mails.flatMap(({ to }) => to),
      [ANA],
    )
    await site.user.ends('cancel')
    await site.advance('1 s')
    const closing = await smtp.mailTo(ANA, 2)
    assert.match(closing.text, /Do not call or text/)
    assert.doesNotMatch(closing.text + closing.subject, /: call Mia/)
  })

  test('a contact added during the alarm from the phone of the person gets a mail without the position', async (t) => {
    const { site, smtp } = await mailingSite(t)
    await site.user.presses({ latitude: 47.0712, longitude: 12.6912 })
    await site.advance('10 s')
    const eve = { name: 'Eve', phone: '+436601234569', email: 'eve@example.com' }
    await site.user.rest('POST', '/v1/sdk/contacts', eve)
    await site.advance('1 min')
    const mail = await smtp.mailTo('eve@example.com')
    assert.match(mail.text, /Mia Moser needs help!/)
    assert.doesNotMatch(mail.text, /Location|maps\.google|47\./)
    assert.match((await smtp.mailTo(ANA)).text, /maps\.google/)
  })

  test('"I do not know this person" ends the mails, and the one text about the end is an SMS', async (t) => {
    const { site, smtp } = await mailingSite(t, { settings: { voice: false, rounds: 3 } })
    await site.user.presses()
    await site.advance('10 s')
    const path = LINK.exec((await smtp.mailTo(ANA)).text)![1]
    const said = await fetch(`${site.service.listeners.http}${path}/stranger`, {
      method: 'POST',
      redirect: 'manual',
    })
    assert.equal(said.status, 303)
    await site.advance('5 min')
    assert.equal(smtp.mails.length, 1)
    const before = (await site.service.store.outbox({ incidentId: null })).length
    await site.user.ends('resolve')
    await site.advance('1 min')
    assert.equal(smtp.mails.length, 1)
    const [closing, ...more] = (await site.service.store.outbox({ incidentId: null })).slice(before)
    assert.deepEqual(more, [])
    assert.doesNotMatch(closing!.text, LINK)
  })

  // limits.md: mails to contacts.
  test('presses without end mail one address 30 times an hour, and no SMS waits or ends for it', async (t) => {
    const settings = { voice: false, rounds: 1, persistHours: 0, allClear: false, graceSeconds: 1 }
    const { site, smtp } = await mailingSite(t, { settings })
    for (let n = 1; n <= 32; n++) {
      await site.user.presses()
      await site.advance('20 s')
      if (n === 32) assert.deepEqual(await failureOf(site), ['failed', 'too many mails'])
      await site.user.ends('cancel')
      await site.advance('1 s')
    }
    assert.equal((await site.service.store.outbox({ incidentId: null })).length, 32)
    assert.equal(smtp.mails.length, 30)
    await site.advance('1 h')
    await site.user.presses()
    await site.advance('20 s')
    await smtp.mailTo(ANA, 31)
  })

  test('an exercise that stays here sends no mail, one to the contacts says EXERCISE first', async (t) => {
    const { site, smtp } = await mailingSite(t)
    const admin = await adminOf(site)
    const start = async (contacts: boolean) => {
      const body = { app: site.user.account.appId, user: 'hiker-1', contacts }
      assert.equal((await admin('POST', '/drills', body)).status, 201)
    }
    await start(false)
    await site.advance('31 min')
    assert.deepEqual(smtp.mails, [])
    await start(true)
    await site.advance('1 min')
    const mail = await smtp.mailTo(ANA)
    assert.equal(mail.subject, 'EXERCISE: SOS: Mia Moser needs help!')
    assert.match(mail.text, /^EXERCISE: SOS/)
    assert.match(mail.text, /not real.*0\.00000,0\.00000/s)
  })

  test('where mail is the only way out, readiness and /readyz say that it wakes nobody', async (t) => {
    const { site } = await mailingSite(t)
    const readiness = JSON.stringify((await site.user.rest('GET', '/v1/sdk/readiness')).body)
    assert.match(readiness, /"mail_only","blocking":true.*wakes nobody/)
    assert.doesNotMatch(readiness, /messages_stay_here/)
    const ready = await (await fetch(`${site.service.listeners.http}/readyz`)).text()
    assert.match(ready, /mail_only: mail wakes nobody: no provider for SMS and calls is set up/)
  })

  // access.md#operator-mail.
  test('an administrator with an address gets mail about the site, and nobody in it is named', async (t) => {
    const { site, smtp } = await mailingSite(t)
    await signedIn(site, 'ops@hut.example', { role: 'admin' })
    await site.user.presses({ latitude: 47.0712, longitude: 12.6912 })
    // Each look asks the real broker, so the clock has to wait for it.
    const mail = await until('mail about the site', async () => {
      await site.advance('1 min')
      return smtp.mails.find(({ to }) => to.includes('ops@hut.example'))
    })
    assert.match(mail.subject, /^sos\.hut\.example: a warning/)
    assert.match(mail.text.replaceAll('\n', ' '), /mail_only: mail wakes nobody/)
    assert.doesNotMatch(mail.text, /Mia|Ana|47\./)
  })

  test('a stop does not wait for a mail server that is silent', async (t) => {
    const { site, smtp } = await mailingSite(t)
    await signedIn(site, 'ops@hut.example', { role: 'admin' })
    await signedIn(site, 'other@hut.example', { role: 'admin' })
    smtp.acts.EHLO = 'hang'
    await until('a mail about the site is under way', async () => {
      await site.advance('1 min')
      return smtp.heard.length > 0
    })
    const began = performance.now()
    await site.service.stop()
    assert.ok(performance.now() - began < 5000)
    assert.equal(smtp.connections, 1)
  })

  test('without a mail server an address changes nothing', async (t) => {
    const site = await startSite(t)
    await site.user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436601234567', email: ANA })
    await site.user.presses()
    await site.advance('10 s')
    assert.equal(await mailItem(site), undefined)
    assert.match(JSON.stringify((await site.user.rest('GET', '/v1/sdk/readiness')).body), /messages_stay_here/)
  })
})
