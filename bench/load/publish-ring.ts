import { publishFrame } from './frames.ts'
import { CLOCK, type Publish } from './messages.ts'

const ID_BYTES = 2
const MAX_IDS = 65_535

/**
 * The publishes of one connection, prebuilt and laid end to end. `take` stamps the next ones with a fresh packet id and
 * a unique time (milliseconds of the clock, connection, running number), so that no message repeats another. A place is
 * reused only after its PUBACK: by then its bytes have been sent.
 */
export class PublishRing {
  readonly #bytes: Buffer
  readonly #frameBytes: number
  readonly #places: number
  readonly #idAt: number
  readonly #clockAt: number
  #place = 0
  #id = 0
  #running = 0

  constructor({ topic, payload }: Publish, connection: number, places: number) {
    const frame = publishFrame(1, topic, payload)
    this.#places = places
    this.#frameBytes = frame.length
    this.#clockAt = frame.indexOf(CLOCK)
    this.#idAt = frame.indexOf(topic) + topic.length
    frame.write(String(connection % 1000).padStart(3, '0'), this.#clockAt + CLOCK.length)
    this.#bytes = Buffer.concat(Array.from({ length: places }, () => frame))
  }

  /** Passes the next `count` publishes to `write`, in one or two pieces. */
  take(count: number, write: (bytes: Buffer) => void): void {
    let left = count
    while (left > 0) {
      const from = this.#place
      const to = Math.min(this.#places, from + left)
      for (let place = from; place < to; place++) this.#stamp(place * this.#frameBytes)
      write(this.#bytes.subarray(from * this.#frameBytes, to * this.#frameBytes))
      left -= to - from
      this.#place = to === this.#places ? 0 : to
    }
  }

  #stamp(frame: number): void {
    const bytes = this.#bytes
    this.#id = this.#id === MAX_IDS ? 1 : this.#id + 1
    bytes[frame + this.#idAt] = this.#id >> 8
    bytes[frame + this.#idAt + ID_BYTES - 1] = this.#id & 0xff
    const clock = frame + this.#clockAt
    bytes.set(clockText(), clock)
    const running = this.#running
    this.#running = running === 999 ? 0 : running + 1
    const nanos = clock + CLOCK.length + 3
    bytes[nanos] = 48 + Math.floor(running / 100)
    bytes[nanos + 1] = 48 + (Math.floor(running / 10) % 10)
    bytes[nanos + 2] = 48 + (running % 10)
  }
}

const text = Buffer.from(CLOCK)
let textOf = 0

function clockText(): Buffer {
  const now = Date.now()
  if (now !== textOf) {
    textOf = now
    text.write(new Date(now).toISOString(), 0, CLOCK.length, 'latin1')
  }
  return text
}
