import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMoment } from '../../test/harness/moment.ts'
import type { PhoneUser } from '../../test/harness/phone-user.ts'

/** What an end says about the alarm that it is for: its incident, its press, or nothing. */
export type Name = 'incident' | 'press' | 'none'
/** What its client does while it waits: keeps the connection, as a proxy does for it, closes or resets it. */
export type Leaving = 'stays' | 'fin' | 'reset'

const ANSWERED_MS = 15_000

/**
 * A person whose end waits somewhere on its way, until it is too late: the client has given up, the alarm was ended
 * another way, and the person has pressed again.
 */
export class WaitingEnd {
  readonly #user: PhoneUser
  #first = ''
  #second = ''
  #alert = { timestamp: '' }
  /** Of the end that waited. Null: none came. */
  status: number | null = null
  /** From its last byte to the answer; null as long as there is none. */
  answeredMs: number | null = null

  constructor(user: PhoneUser) {
    this.#user = user
  }

  /** The first press. Rejects if it is not acknowledged. */
  async presses(): Promise<void> {
    this.#alert = { timestamp: newMoment() }
    this.#first = await this.#press(this.#alert)
  }

  /**
   * Sends the end to `port`. Of one that is `held` only the first bytes are sent, the others once the promise settles.
   * `leaving` happens when everything is sent.
   */
  async sends(
    port: number,
    name: Name,
    leaving: Leaving,
    held?: { readonly until: Promise<void>; readonly firstBytes: number },
  ): Promise<{ readonly sent: Promise<void>; readonly answered: Promise<void> }> {
    const text = this.#request(name)
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    socket.on('error', () => {})
    await once(socket, 'connect')
    const first = held?.firstBytes ?? text.length
    if (first > 0) socket.write(text.slice(0, first))
    let began = performance.now()
    const isAnswered = this.#listens(socket, () => performance.now() - began)
    const sent = (async () => {
      await held?.until
      began = performance.now()
      await new Promise((resolve) => socket.write(text.slice(first), resolve))
      if (leaving === 'fin') await new Promise<void>((resolve) => socket.end(resolve))
      else if (leaving === 'reset') socket.resetAndDestroy()
    })()
    const answered = (async () => {
      await sent
      await Promise.race([isAnswered, sleep(ANSWERED_MS, null, { ref: false })])
      socket.destroy()
    })()
    return { sent, answered }
  }

  /** Ends the alarm another way, and presses again. */
  async endsAndPressesAgain(): Promise<void> {
    const { status, body } = await this.#user.rest('POST', '/v1/sdk/sos/cancel', { incidentId: this.#first })
    if (status !== 200 || body.ended !== true) throw new Error(`the other end was answered with ${status}`)
    this.#second = await this.#press({ timestamp: newMoment() })
  }

  /** Whether the second press is no longer an open alarm. */
  async isWronged(): Promise<boolean> {
    return (await this.#user.openIncident())?.incidentId !== this.#second
  }

  async #press(alert: { readonly timestamp: string }): Promise<string> {
    const { status, body } = await this.#user.rest('POST', '/v1/sdk/sos', alert)
    if (status !== 201) throw new Error(`a press was answered with ${status}`)
    return body.incident.incidentId
  }

  #listens(socket: Socket, sinceMs: () => number): Promise<void> {
    return new Promise((resolve) => {
      socket
        .once('data', (bytes) => {
          this.status = Number(String(bytes).split(' ', 2)[1])
          this.answeredMs = sinceMs()
          resolve()
        })
        .once('close', () => resolve())
    })
  }

  #request(name: Name): string {
    const { account, hash } = this.#user
    const named = { incident: { incidentId: this.#first }, press: { alert: this.#alert }, none: null }[name]
    const body = named === null ? '' : JSON.stringify(named)
    const headers = {
      host: 'localhost',
      'x-app-id': account.appId,
      'x-user-id': account.externalUserId,
      authorization: `Bearer ${hash}`,
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`)
    return `POST /v1/sdk/sos/cancel HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  }
}
