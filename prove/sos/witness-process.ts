import { setTimeout as sleep } from 'node:timers/promises'
import { secure as overTls, plain } from '../../bench/load/dial.ts'
import { alertTopic, type Identity } from '../../bench/load/frames.ts'
import { newMoment } from '../../test/harness/moment.ts'
import { Phone } from './phone.ts'

/*
 * B: people who press SOS, one after another, while something happens to the service. A separate process, so that the
 * trouble does not slow its clock down. If a press loses its connection it is sent again, as clients do, and its time
 * counts from the first try.
 */

export type WitnessOrder = {
  readonly mqttPort: number
  readonly secure: boolean
  readonly http: string
  readonly people: readonly { readonly identity: Identity; readonly headers: Readonly<Record<string, string>> }[]
  readonly everyMs: number
  /** Each press uses a new connection, and its time includes the login. */
  readonly freshLogin: boolean
}
export type Told = WitnessOrder | { readonly end: { readonly reliefMs: number } }

/** `acknowledgedMs`, `processedMs`: null if it never was. `waitedMs`: the wait until then, or until it was given up. */
export type Press = {
  readonly person: number
  readonly moment: string
  readonly acknowledgedMs: number | null
  readonly processedMs: number | null
  readonly waitedMs: number
}
export type Said = { readonly ready: true } | { readonly presses: readonly Press[] }

const AGAIN_MS = 200
/** How long an event may take after its PUBACK, and how long one attempt to cancel. */
const EVENT_MS = 20_000
const CANCEL_MS = 10_000

type Person = WitnessOrder['people'][number] & { readonly number: number; phone: Phone | null; busy: boolean }

let deadline = Number.POSITIVE_INFINITY
const isOver = (): boolean => performance.now() > deadline

async function press(order: WitnessOrder, person: Person): Promise<Press> {
  const moment = newMoment()
  const payload = JSON.stringify({ timestamp: moment, latitude: 46.5371, longitude: 12.1392, mobileBattery: 41 })
  const began = performance.now()
  const since = (): number => performance.now() - began
  let acknowledgedMs: number | null = null
  let processedMs: number | null = null
  while (acknowledgedMs === null && !isOver()) {
    try {
      const phone = await connected(order, person)
      const processed = new Promise<void>((resolve) => {
        phone.onEvent = (event) => {
          if (!event.includes('"type":"processed"')) return
          processedMs ??= since()
          resolve()
        }
      })
      await before(deadline, phone.publish(alertTopic(person.identity.userId), payload))
      acknowledgedMs = since()
      await before(Math.min(deadline, performance.now() + EVENT_MS), processed).catch(() => {})
    } catch {
      if (!isOver()) await sleep(AGAIN_MS)
    }
  }
  const waitedMs = since()
  if (order.freshLogin) hangUp(person)
  return { person: person.number, moment, acknowledgedMs, processedMs, waitedMs }
}

async function connected({ mqttPort, secure, freshLogin }: WitnessOrder, person: Person): Promise<Phone> {
  if (freshLogin || person.phone?.isLost) hangUp(person)
  person.phone ??= await before(deadline, Phone.connect(mqttPort, person.identity, secure ? overTls : plain))
  return person.phone
}

function hangUp(person: Person): void {
  person.phone?.close()
  person.phone = null
}

async function before<T>(moment: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  work.catch(() => {})
  const timeout = new Promise<never>((_resolve, reject) => {
    const look = (): void => {
      const left = Math.min(moment, deadline) - performance.now()
      if (left <= 0) reject(new Error('too late'))
      else timer = setTimeout(look, Math.min(left, 500))
    }
    look()
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

/** Cancels the incident, so that the next press opens a new one and has an event to wait for. */
async function cancel({ http }: WitnessOrder, { headers }: Person): Promise<void> {
  for (let status = 0; status !== 200 && !isOver(); ) {
    status = await fetch(`${http}/v1/sdk/sos/cancel`, {
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(CANCEL_MS),
    })
      .then(async (answer) => {
        await answer.text()
        return answer.status
      })
      .catch(() => 0)
    if (status !== 200 && !isOver()) await sleep(AGAIN_MS)
  }
}

async function watch(order: WitnessOrder, ended: Promise<number>): Promise<readonly Press[]> {
  const people: Person[] = order.people.map((one, number) => ({ ...one, number, phone: null, busy: false }))
  if (!order.freshLogin) await Promise.all(people.map((person) => connected(order, person)))
  say({ ready: true })
  const presses: Promise<Press>[] = []
  const cancels: Promise<void>[] = []
  let next = 0
  const timer = setInterval(() => {
    const person = people[next % people.length]!
    next += 1
    // Everyone is waiting, so there is no one left to press.
    if (person.busy) return
    person.busy = true
    const pressed = press(order, person)
    presses.push(pressed)
    cancels.push(
      pressed
        .then(() => cancel(order, person))
        .finally(() => {
          person.busy = false
        }),
    )
  }, order.everyMs)
  const reliefMs = await ended
  clearInterval(timer)
  deadline = performance.now() + reliefMs
  const all = await Promise.all(presses)
  await Promise.all(cancels)
  for (const person of people) hangUp(person)
  return all
}

const say = (said: Said): void => void process.send?.(said)

const end = Promise.withResolvers<number>()
process.on('disconnect', () => process.exit(0))
process.on('message', async (told: Told) => {
  if ('end' in told) {
    end.resolve(told.end.reliefMs)
    return
  }
  const presses = await watch(told, end.promise)
  process.send?.({ presses } satisfies Said, () => process.exit(0))
})
