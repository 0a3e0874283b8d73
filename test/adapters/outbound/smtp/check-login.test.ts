import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { checkLogin } from '../../../../src/adapters/outbound/smtp/check-login.ts'
import { type SmtpServerOptions, startSmtpServer } from '../../../harness/smtp-server.ts'
import { until } from '../../../harness/wait.ts'

const login = { user: 'sos@hut.example', pass: 'right' }
const from = { name: '', address: 'sos@hut.example' }

async function checked(t: TestContext, options: SmtpServerOptions, pass = 'right', isTrusted = true) {
  const smtp = await startSmtpServer(t, options)
  const { ca, port } = smtp
  const { security = 'none' } = options
  const server = { host: '127.0.0.1', port, security, login: { ...login, pass }, from, ...(isTrusted && { ca }) }
  const failure = await checkLogin(server)
  // The server keeps its own end of a handshake that failed.
  if (isTrusted) await until('the end of the connection', () => smtp.open === 0)
  assert.deepEqual(smtp.mails, [])
  assert.doesNotMatch(smtp.heard.join(), /MAIL|RCPT|DATA/)
  return failure
}

for (const security of ['tls', 'starttls', 'none'] as const) {
  test(`a login is accepted with security ${security}, and no mail is begun`, async (t) => {
    assert.equal(await checked(t, { security, login }), null)
  })
}

test('a wrong password, a certificate that nobody trusts, and a port without a server', async (t) => {
  assert.equal(await checked(t, { security: 'tls', login }, 'wrong'), 'login refused')
  assert.equal(await checked(t, { security: 'tls', login }, 'right', false), 'certificate not accepted')
  const nobody = { host: '127.0.0.1', port: 1, security: 'none', login, from } as const
  assert.equal(await checkLogin(nobody), 'connection refused')
})
