import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mqttCallbacks } from '../../../src/app/connections/mqtt-callbacks.ts'
import type { Application } from '../../../src/core/account/application.ts'
import type { User } from '../../../src/core/account/profile.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const APP = '0a000000-0000-7000-8000-00000000000a'
const ANA = 'a0000000-0000-7000-8000-000000000001'
const BEN = 'b0000000-0000-7000-8000-000000000002'
const NAME = `sdk:${APP}:ana`

const publish = (topic: string, username = NAME) => ({ username, topic, actions: ['publish'] as const })
const subscribe = (topic: string, username = NAME) => ({ username, topic, actions: ['subscribe'] as const })

/** An application with one user whose password is `hash`, and a count of store queries. */
function site({ legacy = false, maxSessions = 10 } = {}) {
  const state = { appDisabled: false, userDisabled: false, asked: 0 }
  const clock = new VirtualClock()
  const user = (externalUserId: string) =>
    ({ id: ANA, appId: APP, externalUserId, disabled: state.userDisabled }) as unknown as User
  const application = () => ({ id: APP, legacy, disabled: state.appDisabled }) as unknown as Application
  const callbacks = mqttCallbacks({
    clock,
    sessionTtlMs: 300_000,
    maxSessions,
    store: {
      async admittingApplication(appId) {
        state.asked++
        return appId === APP ? { application: application(), secrets: [] } : null
      },
      userByExternalId: async (appId, id) => (appId === APP && /^(ana|many)/.test(id) ? user(id) : null),
    },
    identify: async (username, password) =>
      password === 'hash' && !state.appDisabled && !state.userDisabled
        ? { appId: APP, userId: ANA, externalUserId: username.split(':')[2]!, legacy, secretId: 1 }
        : null,
  })
  return { callbacks, state, clock }
}

suite('who may connect', () => {
  const cases = [
    ['the right password', 'hash', 'svc_1', true],
    ['a wrong password', 'hush', 'svc_1', false],
    ['no client id', 'hash', '', true],
    ['a client id of 256 bytes', 'hash', 'é'.repeat(128), true],
    ['a client id of 257 bytes', 'hash', `${'é'.repeat(128)}x`, false],
  ] as const
  for (const [what, password, clientId, allowed] of cases) {
    test(`${what} → ${allowed}`, async () => {
      assert.equal(await site().callbacks.mayConnect(NAME, password, clientId), allowed)
    })
  }
})

suite('what a client may do, with and without a session', () => {
  const cases = [
    [publish(`sos/alerts/${ANA}`), true],
    [publish(`tel/${ANA}/data`), true],
    [subscribe(`sos/events/${ANA}`), true],
    [publish(`sos/events/${ANA}`), false],
    [subscribe(`sos/alerts/${ANA}`), false],
    [publish(`sos/alerts/${BEN}`), false],
    [subscribe(`sos/events/${BEN}`), false],
    [subscribe('sos/events/+'), false],
    [subscribe('#'), false],
    [subscribe(`$share/g/sos/events/${ANA}`), false],
    [subscribe('$SYS/broker/uptime'), false],
    [publish('sos/alerts/ana'), false],
    [publish('tel/ana/data'), false],
    [subscribe('sos/events/ana'), false],
    [publish('sos/alerts'), false],
    [{ username: NAME, topic: `sos/events/${ANA}`, actions: [] }, false],
    [{ username: NAME, topic: `sos/events/${ANA}`, actions: ['subscribe', 'publish'] }, false],
    [publish(`sos/alerts/${ANA}`, `sdk:${APP.toUpperCase()}:ana`), true],
    [publish(`sos/alerts/${ANA}`, `sdk:${APP}:nobody`), false],
    [publish(`sos/alerts/${ANA}`, `sdk:${BEN}:ana`), false],
    [publish(`sos/alerts/${ANA}`, 'ana'), false],
    [publish(`sos/alerts/${ANA}`, ''), false],
  ] as const
  for (const [request, allowed] of cases) {
    test(`${request.username} ${request.actions} ${request.topic} → ${allowed}`, async () => {
      const { callbacks } = site()
      assert.equal(await callbacks.mayAccess(request), allowed)
      await callbacks.mayConnect(NAME, 'hash', 'svc_1')
      assert.equal(await callbacks.mayAccess(request), allowed)
    })
  }

  test('a legacy application also has the legacy topics', async () => {
    const { callbacks } = site({ legacy: true })
    for (const request of [publish('sos/alerts'), publish('tel/ana/data'), subscribe('sos/events/ana')]) {
      assert.equal(await callbacks.mayAccess(request), true)
    }
    assert.equal(await callbacks.mayAccess(subscribe('sos/events/ben')), false)
  })
})

suite('the session is only a cache', () => {
  const own = publish(`sos/alerts/${ANA}`)

  test('while it lasts the store is not asked; then it is renewed', async () => {
    const { callbacks, state, clock } = site()
    await callbacks.mayConnect(NAME, 'hash', 'svc_1')
    for (let i = 0; i < 5; i++) await callbacks.mayAccess(own)
    assert.equal(state.asked, 0)
    await clock.advance('300 s', async () => {})
    for (let i = 0; i < 5; i++) assert.equal(await callbacks.mayAccess(own), true)
    assert.equal(state.asked, 1)
  })

  for (const what of ['userDisabled', 'appDisabled'] as const) {
    test(`${what}: a notice ends the session, and it is not renewed`, async () => {
      const { callbacks, state } = site()
      await callbacks.mayConnect(NAME, 'hash', 'svc_1')
      state[what] = true
      assert.equal(await callbacks.mayAccess(own), true, 'the cache does not know yet')
      callbacks.endSessions(BEN)
      assert.equal(await callbacks.mayAccess(own), true, 'another application')
      callbacks.endSessions(APP)
      assert.equal(await callbacks.mayAccess(own), false)
      assert.equal(await callbacks.mayConnect(NAME, 'hash', 'svc_1'), false)
      state[what] = false
      assert.equal(await callbacks.mayAccess(own), true)
    })
  }

  test('a look-up that began before a notice is not cached', async () => {
    const { callbacks, state } = site()
    const connecting = callbacks.mayConnect(NAME, 'hash', 'svc_1')
    const asking = callbacks.mayAccess(own)
    state.userDisabled = true
    callbacks.endSessions(APP)
    await Promise.all([connecting, asking])
    assert.equal(await callbacks.mayAccess(own), false)
  })

  test('setting the clock back prolongs no session', async () => {
    const { callbacks, state, clock } = site()
    await callbacks.mayConnect(NAME, 'hash', 'svc_1')
    clock.set(-86_400_000)
    await callbacks.mayAccess(own)
    assert.equal(state.asked, 1)
  })

  test('it is bounded, and the oldest entry goes first', async () => {
    const { callbacks, state } = site({ maxSessions: 3 })
    const own = (name: string) => publish(`sos/alerts/${ANA}`, `sdk:${APP}:${name}`)
    for (const name of ['many-1', 'many-2', 'many-3', 'many-4']) {
      await callbacks.mayConnect(`sdk:${APP}:${name}`, 'hash', '')
    }
    for (const name of ['many-4', 'many-3', 'many-2']) await callbacks.mayAccess(own(name))
    assert.equal(state.asked, 0)
    await callbacks.mayAccess(own('many-1'))
    assert.equal(state.asked, 1)
  })
})
