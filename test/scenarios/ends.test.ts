import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import type { PhoneUser } from '../harness/phone-user.ts'
import { sharedSite } from '../harness/shared-site.ts'

const at = (second: number) => `2026-03-01T12:00:${String(second).padStart(2, '0')}Z`
const press = (second: number) => ({ timestamp: at(second) })

/** A cancel whose head arrives now; the returned function sends its body and resolves with the status. */
async function begun({ account, hash }: PhoneUser, body: string) {
  const { hostname, port } = new URL(account.http)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const identity = `x-app-id: ${account.appId}\r\nx-user-id: ${account.externalUserId}\r\nauthorization: Bearer ${hash}`
  const length = `content-length: ${body.length}\r\nconnection: close`
  socket.write(`POST /v1/sdk/sos/cancel HTTP/1.1\r\nhost: x\r\n${identity}\r\n${length}\r\n\r\n`)
  return async (): Promise<string> => {
    socket.write(body)
    let answer = ''
    for await (const bytes of socket) answer += bytes
    return answer.slice(answer.indexOf('\r\n\r\n') + 4)
  }
}

// rules.md#ends: 18 of 964 incidents were ended by the cancel of the one before.
suite('a cancel that waited ends nothing of the next SOS', () => {
  const siteOf = sharedSite()
  let users = 0
  const newUser = () => siteOf().newUser(`waiting-${users++}`)
  const raised = async (user: PhoneUser, second: number): Promise<string> =>
    (await user.rest('POST', '/v1/sdk/sos', press(second))).body.incident.incidentId
  const cancels = async (user: PhoneUser, body?: unknown) => {
    const { status, body: answer } = await user.rest('POST', '/v1/sdk/sos/cancel', body)
    return [status, answer.incident?.incidentId ?? null, answer.ended]
  }

  test('named by the incident, or by the press', async () => {
    const user = await newUser()
    const first = await raised(user, 0)
    assert.deepEqual(await cancels(user), [200, null, undefined])
    const second = await raised(user, 10)
    assert.deepEqual(await cancels(user, { incidentId: first }), [200, second, true])
    assert.deepEqual(await cancels(user, { alert: press(0) }), [200, second, true])
    assert.deepEqual(await cancels(user, { alert: { timestamp: 'noon' } }), [400, null, undefined])
    assert.equal((await user.openIncident()).incidentId, second)
    assert.deepEqual(await cancels(user, { alert: press(10), incidentId: second }), [200, null, true])
  })

  test('whose head came before it, and its body after it', async () => {
    const user = await newUser()
    const first = await raised(user, 0)
    const named = await begun(user, JSON.stringify({ incidentId: first }))
    assert.equal((await user.openIncident()).incidentId, first, 'a head alone ends nothing')
    await cancels(user)
    const second = await raised(user, 20)
    const { incident, ended } = JSON.parse(await named())
    assert.deepEqual([incident.incidentId, ended], [second, true])
  })

  test('an end that overtakes its press: that press opens nothing, over REST and MQTT', async () => {
    const user = await newUser()
    await (await user.introduce()).connect()
    assert.deepEqual(await cancels(user, { alert: press(30) }), [200, null, false])
    const { status, body } = await user.rest('POST', '/v1/sdk/sos', press(30))
    assert.deepEqual([status, body], [200, { incident: null }])
    // Settles with the PUBACK.
    await user.presses(press(30))
    assert.equal(await user.openIncident(), null)
    await user.presses(press(31))
    assert.equal((await user.openIncident()).status, 'active')
  })
})
