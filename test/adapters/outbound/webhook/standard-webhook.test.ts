import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createHttpNotifiers } from '../../../../src/adapters/outbound/webhook/http-notifiers.ts'
import { signedHeaders, webhookId } from '../../../../src/adapters/outbound/webhook/standard-webhook.ts'
import { standIn, status } from './stand-in.ts'

const incidentId = '0190aaaa-0000-7000-8000-000000000002'

test('the signature is the one of the convention’s own example', () => {
  const headers = signedHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: 1_614_265_330_999,
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

const secrets = [
  {
    what: 'base64 after whsec_',
    secret: `whsec_${Buffer.from('a key of some length').toString('base64')}`,
    raw: false,
  },
  { what: 'any other text as its UTF-8 bytes', secret: 'Schlüssel', raw: true },
]
for (const { what, secret, raw } of secrets) {
  test(`the convention’s own library verifies a call signed with ${what}`, async (t) => {
    const service = await standIn(t, status(200))
    // The library refuses timestamps more than five minutes from now.
    const at = Date.now()
    const log = { info() {}, warn() {}, error() {} }
    const { webhook, close } = createHttpNotifiers({ allowPrivateTargets: true, clock: { now: () => at }, log })
    t.after(close)
    const body = { type: 'sos.opened', data: { user: { name: 'Mia Müller 🆘' } } }
    const notification = {
      attemptId: `${incidentId}.2`,
      incidentId,
      claimedAt: 0,
      timeoutMs: 60_000,
      channel: 'webhook',
    } as const
    for (const _ of ['try', 'retry']) {
      await webhook.send({ ...notification, url: service.url, secret, body, occurrence: 1 })
    }
    const [request, retry] = service.heard
    const headers = request!.headers as Record<string, string>
    assert.equal(headers['webhook-timestamp'], String(Math.floor(at / 1000)))
    assert.equal(retry!.headers['webhook-id'], headers['webhook-id'])
    const receiver = raw ? new Webhook(Buffer.from(secret), { format: 'raw' }) : new Webhook(secret)
    assert.deepEqual(receiver.verify(request!.text, headers), body)
    assert.throws(() => receiver.verify(request!.text.replace('Mia', 'Max'), headers))
    assert.throws(() => receiver.verify(request!.text, { ...headers, 'webhook-id': 'msg_another' }))
  })
}

test('without a secret the call has its id and time, and no signature', () => {
  const headers = signedHeaders({ id: 'x', at: 0, body: '{}', secret: null })
  assert.deepEqual(headers, { 'webhook-id': 'x', 'webhook-timestamp': '0' })
})

test('the id of a retry is that of the first try, whatever else has changed in the body', () => {
  const first = webhookId(incidentId, { type: 'sos.opened', timestamp: '1' }, 1)
  assert.equal(webhookId(incidentId, { type: 'sos.opened', timestamp: '2' }, 1), first)
  assert.equal(webhookId(incidentId, { type: 'sos.opened' }, 1), first)
})

test('the all-clear, another incident and another alarm of the same one have different ids', () => {
  const ids = [
    webhookId(incidentId, { type: 'sos.opened' }, 1),
    webhookId(incidentId, { type: 'sos.closed' }, 1),
    webhookId(incidentId, { type: 'sos.test' }, 1),
    webhookId(incidentId, { type: 'sos.opened' }, 2),
    webhookId(`${incidentId.slice(0, -1)}3`, { type: 'sos.opened' }, 1),
  ]
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[\w-]+$/)
})
