import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { Webhook as Standard } from 'standardwebhooks'
import { userHash, verifyWebhook } from '../../sdk/server/index.ts'
import { userHash as ofService } from '../../src/core/account/user-hash.ts'

const KEY = Buffer.from('a key of the operator').toString('base64')
const SECRET = `whsec_${KEY}`
const BODY = JSON.stringify({
  type: 'sos.opened',
  timestamp: '2026-07-04T09:00:00.000Z',
  data: { user: { name: 'Žofie' } },
})
const NOW = Date.UTC(2026, 6, 4, 9)
const ID = 'msg_1_sos_opened'

const signed = (body = BODY, at = NOW, key = Buffer.from(KEY, 'base64')) => {
  const timestamp = `${Math.floor(at / 1000)}`
  const signature = createHmac('sha256', key).update(`${ID}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': ID, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

test('the user hash is that of the service', () => {
  for (const id of ['hiker-1', 'žofie:2', '名前']) assert.equal(userHash('a secret', id), ofService('a secret', id))
})

suite('a webhook', () => {
  test('that is genuine is given back, from text, bytes and both kinds of headers', () => {
    for (const headers of [signed(), new Headers(signed())]) {
      for (const body of [BODY, new TextEncoder().encode(BODY)]) {
        const webhook = verifyWebhook(headers, body, SECRET, NOW)
        assert.ok(webhook?.type === 'sos.opened')
        assert.equal(webhook.data.user.name, 'Žofie')
      }
    }
  })

  test('is verified as by the library of Standard Webhooks', () => {
    const at = new Date()
    const signature = new Standard(KEY).sign(ID, at, BODY)
    const timestamp = `${Math.floor(at.getTime() / 1000)}`
    const headers = { 'webhook-id': ID, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
    assert.ok(verifyWebhook(headers, BODY, SECRET))
  })

  test('may have several signatures, of an older key and of other kinds', () => {
    const headers = signed()
    const mixed = { ...headers, 'webhook-signature': `v1a,abc v1,AAAA ${headers['webhook-signature']}` }
    assert.ok(verifyWebhook(mixed, BODY, SECRET, NOW))
  })

  test('may be up to 5 minutes old', () => {
    assert.ok(verifyWebhook(signed(BODY, NOW - 300_000), BODY, SECRET, NOW))
    for (const at of [NOW - 302_000, NOW + 302_000])
      assert.equal(verifyWebhook(signed(BODY, at), BODY, SECRET, NOW), null)
  })

  const headers = signed()
  const refused: readonly (readonly [what: string, headers: Record<string, string>, body: string, secret: string])[] = [
    ['changed', headers, BODY.replace('opened', 'closed'), SECRET],
    ['signed with another secret', headers, BODY, `whsec_${Buffer.from('another').toString('base64')}`],
    ['without a signature', { ...headers, 'webhook-signature': '' }, BODY, SECRET],
    ['with a signature that is no base64', { ...headers, 'webhook-signature': 'v1,???' }, BODY, SECRET],
    [
      'with another version alone',
      { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') },
      BODY,
      SECRET,
    ],
    ['with another id', { ...headers, 'webhook-id': 'msg_2' }, BODY, SECRET],
    ['without an id', { ...headers, 'webhook-id': '' }, BODY, SECRET],
    ['with a time that is no number', { ...headers, 'webhook-timestamp': '1e9' }, BODY, SECRET],
    ['that is no JSON', signed('no'), 'no', SECRET],
    ['with an empty secret', signed(BODY, NOW, Buffer.alloc(0)), BODY, ''],
    ['with a secret of a prefix alone', signed(BODY, NOW, Buffer.alloc(0)), BODY, 'whsec_'],
  ]
  for (const [what, given, body, secret] of refused) {
    test(`${what} is refused`, () => assert.equal(verifyWebhook(given, body, secret, NOW), null))
  }

  test('with a secret that is no base64 is signed with its text', () => {
    const plain = 'the secret itself'
    assert.ok(verifyWebhook(signed(BODY, NOW, Buffer.from(plain)), BODY, plain, NOW))
  })
})
