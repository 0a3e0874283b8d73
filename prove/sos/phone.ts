import type { Socket } from 'node:net'
import { type Dial, plain } from '../../bench/load/dial.ts'
import {
  connectFrame,
  eachPacket,
  eventTopic,
  type Identity,
  PacketType,
  pubackFrame,
  publishFrame,
  subscribeFrame,
} from '../../bench/load/frames.ts'
import type { PhoneUser } from '../../test/harness/phone-user.ts'

type Waiting = { readonly resolve: () => void; readonly reject: (error: Error) => void }

const SUBSCRIBE_ID = 65_535
const MAX_ID = 65_000
const CONNECT_MS = 20_000

/** The user's MQTT identity. */
export const identityOf = ({ account, hash, userId }: PhoneUser, suffix = ''): Identity => ({
  clientId: `svc_${account.appId}_${account.externalUserId}${suffix}`,
  username: `sdk:${account.appId}:${account.externalUserId}`,
  password: hash,
  userId,
})

/**
 * One MQTT 3.1.1 connection of a user, subscribed to its own events, which reports which of its publishes were
 * acknowledged. Uses frames built by hand, to use little of the processor that it shares with what is measured.
 */
export class Phone {
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  /** Called with the payload of every event. */
  onEvent: (payload: Buffer) => void = () => {}
  #rest: Buffer = Buffer.alloc(0)
  #nextId = 1
  #isLost = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
      this.#rest = eachPacket(bytes, (first, body) => this.#take(first, body))
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#isLost = true
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection was lost'))
      this.#waiting.clear()
    })
  }

  /** Rejects if the connection is refused or not admitted within 20 s. */
  static async connect(port: number, identity: Identity, dial: Dial = plain): Promise<Phone> {
    const socket = dial(port)
    const phone = new Phone(socket)
    const timeout = setTimeout(() => socket.destroy(), CONNECT_MS)
    try {
      const admitted = phone.#answered(0)
      socket.write(connectFrame(identity))
      await admitted
      const subscribed = phone.#answered(SUBSCRIBE_ID)
      socket.write(subscribeFrame(SUBSCRIBE_ID, eventTopic(identity.userId)))
      await subscribed
      return phone
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      clearTimeout(timeout)
    }
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Publishes at QoS 1 and settles with the PUBACK; rejects if the connection is lost first. */
  publish(topic: string, payload: string): Promise<void> {
    if (this.#isLost) return Promise.reject(new Error('the connection was lost'))
    const id = this.#nextId
    this.#nextId = id === MAX_ID ? 1 : id + 1
    const answered = this.#answered(id)
    this.#socket.write(publishFrame(id, topic, payload))
    return answered
  }

  close(): void {
    this.#socket.destroy()
  }

  #answered(id: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  #settle(id: number): void {
    this.#waiting.get(id)?.resolve()
    this.#waiting.delete(id)
  }

  #take(first: number, body: Buffer): void {
    switch (first >> 4) {
      case PacketType.connack:
        if (body[1] === 0) this.#settle(0)
        else this.#socket.destroy()
        return
      case PacketType.suback:
        if (body[2]! < 0x80) this.#settle(SUBSCRIBE_ID)
        else this.#socket.destroy()
        return
      case PacketType.puback:
        this.#settle(body.readUInt16BE(0))
        return
      case PacketType.publish: {
        const topicEnd = 2 + body.readUInt16BE(0)
        const hasId = (first & 0x06) !== 0
        if (hasId) this.#socket.write(pubackFrame(body.readUInt16BE(topicEnd)))
        this.onEvent(hasId ? body.subarray(topicEnd + 2) : body.subarray(topicEnd))
        return
      }
    }
  }
}
