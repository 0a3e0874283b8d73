import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemResolve } from '../../../../src/adapters/outbound/http/address-guard.ts'
import { type AddressGuard, addressGuard, publicGuard } from '../../../../src/adapters/outbound/http/guarded-socket.ts'
import { checkLogin } from '../../../../src/adapters/outbound/smtp/check-login.ts'
import { createSmtpClient, type Mail } from '../../../../src/adapters/outbound/smtp/smtp-client.ts'
import type { MailServer } from '../../../../src/adapters/outbound/smtp/smtp-connection.ts'
import { mailServerOf } from '../../../../src/config/mail-server.ts'
import { configOf, problemText } from '../../../../src/config.ts'
import { freePort } from '../../../harness/free-port.ts'
import { type SmtpAct, type SmtpServerOptions, type SmtpStage, startSmtpServer } from '../../../harness/smtp-server.ts'
import { until } from '../../../harness/wait.ts'

const login = { user: 'sos@hut.example', pass: 'p:ss@/ wörd' }
const mail: Mail = {
  id: '0190.7',
  to: 'ana@example.com',
  subject: 'SOS: Mia needs help!',
  text: 'SOS: Mia needs help!\n\nhttps://sos.example.com/t/abc\n.\nEnde\n',
  language: 'de',
  timeoutMs: 5000,
  about: { attemptId: '0190.7' },
}
const unheard = { info() {}, warn() {}, error() {} }

async function mailer(t: TestContext, options: SmtpServerOptions = {}, more: Partial<MailServer> = {}) {
  const smtp = await startSmtpServer(t, options)
  const { ca, port } = smtp
  const { security = 'none' } = options
  const from = { name: 'Rescue, Alpine', address: 'sos@hut.example' }
  const server = { host: '127.0.0.1', port, security, login: options.login ?? null, from, ca, ...more } as const
  const client = createSmtpClient(server, { clock: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) }, log: unheard })
  t.after(() => client.close())
  return { smtp, client }
}

const sent = { kind: 'sent', provider: 'smtp', providerRef: '<0190.7@hut.example>' }
const failed = (error: string, retryable = true) => ({ kind: 'failed', error, retryable })

for (const security of ['tls', 'starttls', 'none'] as const) {
  test(`a mail leaves with security ${security}, after a login`, async (t) => {
    // Called wherever it is, or through the guard, which opens the connection.
    const guard = security === 'none' ? null : addressGuard(systemResolve(), () => false)
    const { smtp, client } = await mailer(t, { security, login }, { guard })
    assert.deepEqual(await client.send(mail), sent)
    const [got] = smtp.mails
    assert.deepEqual([got?.isSecure, got?.login], [security !== 'none', login.user])
    assert.deepEqual([got?.from, got?.to], ['sos@hut.example', ['ana@example.com']])
    assert.equal(got?.subject, mail.subject)
    assert.equal(got?.text.trimEnd(), mail.text.trimEnd())
    assert.equal(got?.header('Message-ID'), '<0190.7@hut.example>')
    assert.equal(got?.header('From'), '"Rescue, Alpine" <sos@hut.example>')
    assert.equal(got?.header('Auto-Submitted'), 'auto-generated')
    assert.match(got?.header('Date') ?? '', /^Fri, 02 Jan 2026 03:04:05 \+0000$/)
    await until('the end of the connection', () => smtp.open === 0)
  })
}

test('nothing that looks like a line break begins another header', async (t) => {
  const { smtp, client } = await mailer(t)
  await client.send({ ...mail, subject: 'Mia\r\nBcc: eve@example.com\r\n\r\nHello', language: 'de' })
  const [got] = smtp.mails
  assert.deepEqual([got?.to, got?.header('Bcc')], [['ana@example.com'], null])
})

// rules.md#email. A reply is clear at any stage; without one, the message may have arrived once it has begun to leave.
const table: readonly [SmtpStage, SmtpAct, object][] = [
  ['GREETING', '554 5.7.1 not you', failed('upstream SMTP 554')],
  ['GREETING', '421 4.3.2 later', failed('upstream SMTP 421')],
  ['GREETING', 'close', failed('connection reset')],
  ['GREETING', 'hang', failed('connection timeout')],
  ['EHLO', 'hang', failed('connection timeout')],
  ['EHLO', 'close', failed('connection reset')],
  ['AUTH', '535 5.7.8 wrong', failed('login refused')],
  ['AUTH', '454 4.7.0 later', failed('login refused')],
  ['AUTH', 'hang', failed('connection timeout')],
  ['MAIL', '550 5.7.1 sender refused', failed('upstream SMTP 550')],
  ['MAIL', '452 4.3.1 full', failed('upstream SMTP 452')],
  ['MAIL', 'hang', failed('connection timeout')],
  ['RCPT', '550 5.1.1 nobody', failed('upstream SMTP 550', false)],
  ['RCPT', '450 4.2.0 greylisted', failed('upstream SMTP 450')],
  ['RCPT', 'hang', failed('connection timeout')],
  ['DATA', '554 5.7.1 no', failed('upstream SMTP 554', false)],
  ['DATA', 'hang', failed('connection timeout')],
  ['DATA', 'close', failed('connection reset')],
  ['END', '552 5.2.2 over quota', failed('upstream SMTP 552', false)],
  ['END', '451 4.3.0 later', failed('upstream SMTP 451')],
  ['END', 'hang', { kind: 'unknown' }],
  ['END', 'close', { kind: 'unknown' }],
]
for (const [stage, act, outcome] of table) {
  test(`${stage}: ${act}`, async (t) => {
    const { smtp, client } = await mailer(t, { login })
    smtp.acts[stage] = act
    assert.deepEqual(await client.send({ ...mail, timeoutMs: act === 'hang' ? 150 : 5000 }), outcome)
  })
}

test('a server of the console is called where the guard lets it, and fails as any other', async (t) => {
  const open = addressGuard(systemResolve(), () => false)
  const { smtp, client } = await mailer(t, {}, { guard: open })
  assert.deepEqual(await client.send(mail), sent)
  smtp.acts.GREETING = 'hang'
  assert.deepEqual(await client.send({ ...mail, timeoutMs: 150 }), failed('connection timeout'))
  const heard = smtp.heard.length
  const at = async (host: string, guard: AddressGuard, port = smtp.port) => {
    const from = { name: '', address: 'sos@hut.example' }
    const server = { host, port, security: 'none', login, from, guard } as const
    const other = createSmtpClient(server, { clock: { now: () => 0 }, log: unheard })
    return [await other.send(mail), await checkLogin(server)]
  }
  const { error } = failed('blocked address')
  const inside = publicGuard(undefined, async () => [{ address: '127.0.0.1', family: 4 }])
  for (const host of ['127.0.0.1', '::ffff:127.0.0.1', 'localhost', 'mail.example.org']) {
    assert.deepEqual(await at(host, inside), [failed('blocked address'), error], host)
  }
  assert.equal(smtp.heard.length, heard, 'nobody has called')
  assert.deepEqual((await at('127.0.0.1', open, await freePort()))[1], 'connection refused')
})

test('a server that takes a mail and loses it has it: more is not known', async (t) => {
  const { client, smtp } = await mailer(t, { loses: true })
  assert.deepEqual([await client.send(mail), smtp.mails], [sent, []])
})

test('a password never crosses a network without encryption', async (t) => {
  const { smtp, client } = await mailer(t, { login }, { security: 'starttls' })
  assert.deepEqual(await client.send(mail), failed('no encryption offered'))
  assert.deepEqual(
    smtp.heard.filter((line) => /AUTH|MAIL/.test(line)),
    [],
  )
})

for (const security of ['tls', 'starttls'] as const) {
  test(`a certificate of somebody else is refused with security ${security}`, async (t) => {
    const { smtp, client } = await mailer(t, { login, security }, { ca: (await startSmtpServer(t, { security })).ca })
    assert.deepEqual(await client.send(mail), failed('certificate not accepted'))
    assert.ok(!smtp.heard.some((line) => line.startsWith('AUTH')))
  })
}

test('no server, no name, and an address that no server takes', async (t) => {
  const gone = await mailer(t, {}, { port: 1 })
  assert.deepEqual(await gone.client.send(mail), failed('connection refused'))
  const { client } = await mailer(t)
  assert.deepEqual(await client.send({ ...mail, to: 'an<a@example.com' }), failed('invalid address', false))
})

test('a mail whose lease is over does not begin to leave', async (t) => {
  const { smtp, client } = await mailer(t)
  let leftMs = 1000
  smtp.acts.MAIL = 'hang'
  const outcome = client.send({ ...mail, leftMs: () => leftMs })
  await until('the command', () => smtp.heard.some((line) => line.startsWith('MAIL')))
  leftMs = 0
  assert.deepEqual(await outcome, failed('connection timeout'))
  assert.deepEqual(smtp.mails, [])
})

test('the end of the service ends a conversation', async (t) => {
  const { smtp, client } = await mailer(t)
  smtp.acts.RCPT = 'hang'
  const outcome = client.send(mail)
  await until('the command', () => smtp.heard.some((line) => line.startsWith('RCPT')))
  client.close()
  assert.deepEqual(await outcome, failed('connection timeout'))
  await until('the end of the connection', () => smtp.open === 0)
})

const serverOf = (url: string, from = 'sos@hut.example') => {
  const configured = configOf({ smtp: { url, from } })
  if ('problems' in configured) return configured.problems.map(problemText).join()
  const { host, port, security, login: named } = mailServerOf(configured.config)!
  return [host, port, security, named && `${named.user} ${named.pass}`]
}

test('smtp.url says where, how and as whom', () => {
  assert.deepEqual(serverOf('smtps://sos%40hut.example:p%3Ass@mail.example.com'), [
    'mail.example.com',
    465,
    'tls',
    'sos@hut.example p:ss',
  ])
  assert.deepEqual(serverOf('smtp://mail.example.com:25'), ['mail.example.com', 25, 'starttls', null])
  assert.deepEqual(serverOf('smtp://a:b@mail.lan?starttls=off'), ['mail.lan', 587, 'none', 'a b'])
  assert.deepEqual(serverOf('smtp://localhost:25'), ['localhost', 25, 'none', null])
  assert.deepEqual(serverOf('smtp://[::1]:25'), ['::1', 25, 'none', null])
  for (const bad of [
    'https://mail.example.com',
    'smtp://mail.example.com/x',
    'smtp://mail.example.com?tls=off',
    'smtps://mail.example.com?starttls=off',
    'smtp://user@mail.example.com',
    'smtp://a:%@mail.example.com',
    'mail.example.com',
  ]) {
    assert.match(String(serverOf(bad)), /^smtp\.url: must be smtp:\/\//, bad)
  }
  assert.match(String(serverOf('smtp://localhost', 'Rescue <sos>')), /^smtp\.from: must be an address/)
  assert.match(String(serverOf('smtp://localhost', 'a@b.example\r\nBcc: c@d.example')), /^smtp\.from: must be one line/)
  const alone = configOf({ smtp: { url: 'smtp://localhost' } })
  assert.ok('problems' in alone)
  assert.deepEqual(alone.problems.map(problemText), ['smtp.from: is required with smtp.url'])
})
