import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listen } from '../harness/listener.ts'
import { type Site, startSite } from '../harness/site.ts'
import { startTwilio } from '../harness/twilio-stand-in.ts'

// rules.md#providers, rules.md#unknown-outcomes.

const TEXTS_ONLY = '{ "number": "{to}", "message": "{text}" }'
const oneRound = { rounds: 1, voiceAttempts: 2 }

const channels = async (site: Site) => {
  const incident = await site.user.openIncident()
  const [contact] = incident.actuators.items[0].contacts
  return Object.fromEntries(contact.channels.map((one: any) => [one.channel, one.status]))
}

test('a gateway that only texts never gets a call: calls fail immediately, and the start warns of it', async (t) => {
  const gateway = await listen(t)
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: oneRound,
    config: { notifications: { providers: ['http'] }, gateway: { url: gateway.url, template: TEXTS_ONLY } },
  })
  assert.equal(site.logged(/no provider for calls in notifications\.providers \(http\)/).length, 1)
  await site.user.presses()
  await site.advance('70 s')
  assert.deepEqual(await channels(site), { sms: 'sent', voice: 'failed' })
  await site.advance('10 min')
  assert.equal(gateway.requests.length, 1)
  assert.equal(site.logged(/"channel":"voice".*"error":"no provider for calls"/).length, 1)
})

test('one that only calls moves the call forward', async (t) => {
  const gateway = await listen(t)
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: oneRound,
    config: { notifications: { providers: ['http'] }, gateway: { url: gateway.url, channels: ['voice'] } },
  })
  await site.user.presses()
  await site.advance('10 s')
  assert.deepEqual(await channels(site), { sms: 'failed', voice: 'sent' })
  assert.deepEqual(
    gateway.requests.map(({ json }) => json.channel),
    ['voice'],
  )
})

test('next to a gateway that only texts, calls go to the provider that calls', async (t) => {
  const [gateway, twilio] = await Promise.all([listen(t), startTwilio(t)])
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: oneRound,
    config: {
      notifications: { providers: ['http', 'twilio'] },
      gateway: { url: gateway.url, template: TEXTS_ONLY },
      twilio: twilio.config(),
    },
  })
  await site.user.presses()
  await site.advance('70 s')
  assert.deepEqual(await channels(site), { sms: 'sent', voice: 'sent' })
  assert.deepEqual([gateway.requests.length, twilio.messages.length, twilio.calls.length], [1, 0, 1])
})

/** A gateway that receives every message and breaks the connection instead of answering, until it is `repaired`. */
async function breaksOff(t: TestContext) {
  const heard: any[] = []
  const taken: any[] = []
  let isBroken = true
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      const message = JSON.parse(bytes.toString().split('\r\n\r\n')[1]!)
      heard.push(message)
      if (isBroken) return socket.resetAndDestroy()
      taken.push(message)
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    heard: () => heard.length,
    taken: () => taken.map(({ channel, text }) => [channel, text] as const),
    repaired: () => {
      isBroken = false
    },
    breaks: () => {
      isBroken = true
    },
  }
}

test('a gateway that resets connections for 15 s has the SMS 5 s after it is back', async (t) => {
  const gateway = await breaksOff(t)
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: { voice: false },
    config: { notifications: { providers: ['http'] }, gateway: { url: gateway.url } },
  })
  await site.user.presses()
  await site.advance('25 s')
  assert.deepEqual([(await channels(site)).sms, gateway.heard(), gateway.taken()], ['scheduled', 2, []])
  gateway.repaired()
  await site.advance('5 s')
  assert.deepEqual([(await channels(site)).sms, gateway.taken().length], ['sent', 1])
})

test('a closing text outlives a gateway that resets connections for a minute', async (t) => {
  const gateway = await breaksOff(t)
  gateway.repaired()
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: { voice: false },
    config: { notifications: { providers: ['http'] }, gateway: { url: gateway.url } },
  })
  await site.user.presses()
  await site.advance('10 s')
  gateway.breaks()
  await site.user.ends('cancel')
  await site.advance('1 min')
  assert.equal(gateway.taken().length, 1)
  gateway.repaired()
  await site.advance('1 min')
  assert.equal(gateway.taken().length, 2)
})

test('a gateway that may or may not have taken the SMS gets it three times, then the SMS fails and the call is made', async (t) => {
  const gateway = await breaksOff(t)
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: { rounds: 1, voiceAttempts: 1 },
    config: { notifications: { providers: ['http'] }, gateway: { url: gateway.url } },
  })
  await site.user.presses()
  await site.advance('30 s')
  assert.deepEqual([await channels(site), gateway.heard()], [{ sms: 'failed', voice: 'failed' }, 5])
  await site.advance('10 min')
  assert.equal(gateway.heard(), 5)
})

test('with another provider after it that one gets the SMS immediately', async (t) => {
  const [gateway, twilio] = await Promise.all([breaksOff(t), startTwilio(t)])
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: oneRound,
    config: {
      notifications: { providers: ['http', 'twilio'] },
      gateway: { url: gateway.url },
      twilio: twilio.config(),
    },
  })
  await site.user.presses()
  await site.advance('10 s')
  assert.deepEqual([(await channels(site)).sms, gateway.heard(), twilio.messages.length], ['sent', 1, 1])
})
