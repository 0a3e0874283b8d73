// One file: the table of the twelve situations, each with what goes wrong, and what a client has to make of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { endsOf, isNamed, LONGEST_WAIT_MS, type Phone, POSITION, pressesOf, type Stage } from './stage.ts'

export type Situation = {
  readonly name: string
  readonly title: string
  /** What the client should do. */
  readonly should: string
  /** What the service's clock is ahead of the client's, ms. */
  readonly clockMs?: number
  readonly play: (stage: Stage) => Promise<void>
}

const HOUR_MS = 3_600_000
const FAR_FROM_NEVER_MS = 12_000

/** Over REST, the answers of a service that cannot take a press now. */
const refusal = (status: number, code: string, headers = {}) => ({
  ...{ status, headers },
  body: { error: { code: `E_SDK_SOS_${code}`, message: 'Try again later.', requestId: 'check' } },
})

const first = (line: { once?: boolean } = {}): boolean => {
  const is = line.once !== true
  line.once = true
  return is
}

/** A phone whose client runs, and is connected unless `before` keeps it from that. */
async function ready(stage: Stage, before: (phone: Phone) => void = () => {}, hash?: string): Promise<Phone> {
  const phone = await stage.phone(hash)
  before(phone)
  phone.device.start()
  await stage.started(phone)
  return phone
}

const usesMqtt = (stage: Stage, { line }: Phone): void => {
  const is = pressesOf(line).some(({ way }) => way === 'MQTT')
  stage.should(is, 'it did not send the press over MQTT, so nothing was lost')
}

/** The pauses between attempts, ms. */
const pauses = (times: readonly number[]): readonly number[] => times.slice(1).map((at, n) => at - times[n]!)

export const SITUATIONS: readonly Situation[] = [
  {
    name: 'outage',
    title: 'The network is gone for a minute',
    should:
      'keep the press with its time, try again with pauses of at most 30 s, and send it as soon as the network is back',
    async play(stage) {
      const phone = await ready(stage)
      phone.line.set('dark')
      await sleep(stage.isShort ? 1_000 : 5_000)
      const knocks = phone.line.knocks
      stage.press(phone)
      const darkMs = stage.isShort ? 8_000 : 55_000
      await sleep(darkMs)
      const tries = phone.line.knocks - knocks
      stage.must(tries < darkMs / 250, `${tries} connections in ${darkMs / 1_000} s: it hammers the service`)
      phone.line.set('up')
      await stage.arrives(phone, LONGEST_WAIT_MS)
    },
  },
  {
    name: 'puback-lost',
    title: 'The PUBACK is lost',
    should: 'wait some 4 s, then send the same press over REST as well; say "on the server" only after an answer',
    async play(stage) {
      const state = {}
      const phone = await ready(stage, ({ line }) => {
        line.faults.onPublish = () => (first(state) ? 'lose' : 'forward')
      })
      stage.press(phone)
      await stage.arrives(phone, 20_000)
      usesMqtt(stage, phone)
      const rest = pressesOf(phone.line).find(({ way }) => way === 'REST')
      const isTold = (phone.line.acknowledged[0] ?? 20_000) < 4_000
      stage.should(rest !== undefined || isTold, 'it has no second way: REST answers where MQTT does not')
      stage.should(rest === undefined || rest.at < 8_500, 'it went to REST later than 8 s after the press')
    },
  },
  {
    name: 'cut',
    title: 'The connection is cut behind the PUBLISH',
    should: 'take the press for lost, and send it again with the same time, over REST or in the next connection',
    async play(stage) {
      const state = {}
      const phone = await ready(stage, ({ line }) => {
        line.faults.onPublish = () => (first(state) ? 'cut' : 'forward')
      })
      stage.press(phone)
      await stage.arrives(phone, 20_000)
      usesMqtt(stage, phone)
    },
  },
  {
    name: 'busy',
    title: '503, and the broker is unavailable, for 8 s',
    should: 'try again after 1, 2, 4 … 30 s, a fifth more or less, until it is taken',
    async play(stage) {
      let upAt = Number.POSITIVE_INFINITY
      const isBusy = () => performance.now() < upAt
      const phone = await ready(stage, ({ line }) => {
        line.faults.mqttIsOff = isBusy
        line.faults.onPress = () => (isBusy() ? refusal(503, 'UNAVAILABLE') : 'forward')
      })
      const knocks = phone.line.knocks
      stage.press(phone)
      upAt = performance.now() + 8_000
      await sleep(8_000)
      const tries = phone.line.knocks - knocks
      stage.must(tries < 40, `${tries} connections in 8 s: it hammers the service`)
      await stage.arrives(phone, LONGEST_WAIT_MS)
      const rests = pressesOf(phone.line).filter(({ way }) => way === 'REST')
      const gaps = pauses(rests.map(({ at }) => at))
      stage.must(
        gaps.every((ms) => ms > 400),
        'it repeated the press at once after a 503',
      )
      stage.should(gaps.length < 3 || Math.max(...gaps) > 1.4 * gaps[0]!, 'its pauses do not grow')
    },
  },
  {
    name: 'retry-after',
    title: '429 with Retry-After: 7',
    should: 'keep the press, and send it over REST after 7 s and not before',
    async play(stage) {
      let refusedAt: number | null = null
      const phone = await ready(stage, ({ line }) => {
        line.faults.mqttIsOff = () => refusedAt === null || performance.now() < refusedAt + 9_000
        line.faults.onPress = () => {
          if (refusedAt !== null) return 'forward'
          refusedAt = performance.now()
          return refusal(429, 'RATE_LIMITED', { 'retry-after': '7' })
        }
      })
      stage.press(phone)
      // A client without REST gets in some day.
      const rest = await stage.until(() => refusedAt !== null, FAR_FROM_NEVER_MS)
      if (!rest) refusedAt = 0
      await stage.arrives(phone, LONGEST_WAIT_MS + 7_000)
      const [refused, next] = pressesOf(phone.line).filter(({ way }) => way === 'REST')
      if (refused !== undefined && next !== undefined)
        stage.must(next.at - refused.at > 6_500, 'it came back before Retry-After had passed')
      stage.should(rest, 'it does not use REST, so it was never refused')
    },
  },
  {
    name: 'clock',
    title: "The phone's clock is an hour ahead, and the PUBACK is lost",
    should: 'send one and the same press, end it by the name under which it was sent, and send it no more after that',
    clockMs: -HOUR_MS,
    async play(stage) {
      const state = {}
      const phone = await ready(stage, ({ line }) => {
        line.faults.onPublish = () => (first(state) ? 'lose' : 'forward')
      })
      stage.press(phone)
      await stage.until(() => phone.line.acknowledged.length > 0, 20_000)
      await sleep(1_500)
      const claim = phone.line.acknowledged.length > 0
      stage.must(claim, 'it never learned that the press is on the server')
      const can = phone.device.cancel()
      stage.must(can, 'it cannot end an alarm')
      const ended = await stage.until(
        () => endsOf(phone.line).some(({ outcome }) => outcome === '200'),
        can ? 20_000 : 0,
      )
      if (can) stage.must(ended, 'no end has reached the service')
      stage.must(endsOf(phone.line).every(isNamed), 'its end does not name an alarm')
      // A library that repeats by itself what had no PUBACK does so now.
      phone.line.drop()
      await sleep(6_000)
      const incidents = await stage.incidents()
      const open = incidents.filter(({ status }) => status === 'active' || status === 'acknowledged')
      stage.must(incidents.length > 0, 'no alarm was raised')
      stage.must(incidents.length < 2, `${incidents.length} alarms were raised by one press`)
      if (ended) stage.must(open.length === 0, 'an alarm is open although the person has ended it')
    },
  },
  {
    name: 'second-phone',
    title: 'A second phone of the same user presses, too',
    should: 'have a client id for each installation, so that neither throws the other off; both presses are one alarm',
    async play(stage) {
      const states = [{}, {}]
      const phones: Phone[] = []
      for (const state of states)
        phones.push(
          await ready(stage, ({ line }) => {
            line.faults.onPublish = () => (first(state) ? 'lose' : 'forward')
          }),
        )
      for (const phone of phones) {
        stage.press(phone)
        await sleep(1_000)
      }
      await Promise.all(phones.map((phone) => stage.arrives(phone, 20_000)))
      const [a, b] = phones.map(({ line }) => line.clientIds)
      stage.should(
        !a!.some((id) => id !== '' && b!.includes(id)),
        'both phones have one client id: each takes the other over',
      )
      const most = Math.max(a!.length, b!.length)
      stage.must(most < 15, `${most} connections of one phone: the two throw each other off without end`)
    },
  },
  {
    name: 'restart',
    title: 'The app is killed while its press waits for the network, and started again',
    should:
      'have the press on disk before it says that it is kept, and send it after the start, with the time of the press',
    async play(stage) {
      const phone = await ready(stage, ({ line }) => line.set('refused'))
      stage.press(phone)
      await stage.until(() => phone.device.said(/\bkept\b/i) !== undefined, 2_000)
      phone.device.kill()
      await sleep(1_000)
      phone.line.set('up')
      phone.device.start()
      await stage.arrives(phone, 15_000)
    },
  },
  {
    name: 'cancel-queued',
    title: 'The person cancels while the press still waits for the network',
    should:
      'send this press no more; tell the service by its name that it is over, for an attempt may have got through; let the next press alarm',
    async play(stage) {
      const phone = await ready(stage, ({ line }) => line.set('refused'))
      stage.press(phone)
      await sleep(1_500)
      stage.must(phone.device.cancel(), 'it cannot end an alarm')
      await sleep(1_500)
      phone.line.set('up')
      await stage.until(() => endsOf(phone.line).some(({ outcome }) => outcome === '200'), LONGEST_WAIT_MS)
      await sleep(2_500)
      const incidents = await stage.incidents()
      const open = incidents.filter(({ status }) => status === 'active' || status === 'acknowledged')
      stage.must(open.length === 0, 'an alarm is open although the person has ended it')
      stage.must(endsOf(phone.line).every(isNamed), 'its end does not name an alarm: it could end the next one')
      const sent = pressesOf(phone.line).length
      stage.should(sent === 0, 'it sent a press that the person had taken back')
      const told = phone.line.acknowledged.length
      phone.device.press(POSITION)
      let isOpen = false
      for (let tries = 0; tries < 60 && !isOpen; tries += 1) {
        await sleep(250)
        const isKnown = phone.line.acknowledged.length > told
        isOpen = isKnown && (await stage.incidents())[0]?.status === 'active'
      }
      stage.must(isOpen, 'the next press, after that, raised no alarm')
    },
  },
  {
    name: 'answer-lost',
    title: 'The answer over REST is lost, and MQTT is unavailable',
    should: 'send the same press again, with the same time: it is one alarm',
    async play(stage) {
      let begun = Number.POSITIVE_INFINITY
      const state = {}
      const phone = await ready(stage, ({ line }) => {
        line.faults.mqttIsOff = () => performance.now() < begun + FAR_FROM_NEVER_MS
        line.faults.onPress = () => (first(state) ? 'lose' : 'forward')
      })
      begun = performance.now()
      stage.press(phone)
      await stage.arrives(phone, LONGEST_WAIT_MS)
      const rest = pressesOf(phone.line).some(({ way }) => way === 'REST')
      stage.should(rest, 'it does not use REST, so it lost no answer')
    },
  },
  {
    name: 'stale-hash',
    title: 'The user hash is refused: 401, over MQTT the CONNECT',
    should: "ask the app's backend for a new hash, once, and send the press with it",
    async play(stage) {
      const phone = await ready(stage, () => {}, '0'.repeat(64))
      stage.press(phone)
      await stage.arrives(phone, 20_000)
      const { hashesAsked, unauthorized } = phone.line
      stage.should(hashesAsked > 0, 'it does not ask the backend')
      stage.must(
        unauthorized < 20,
        `it was refused ${unauthorized} times: it hammers the service with a hash that is refused`,
      )
    },
  },
  {
    name: 'bad-field',
    title: '400: one field is refused',
    should: 'send the press without the refused field at once, and keep the others',
    async play(stage) {
      let begun = Number.POSITIVE_INFINITY
      const phone = await ready(stage, ({ line }) => {
        line.faults.mqttIsOff = () => performance.now() < begun + FAR_FROM_NEVER_MS
      })
      begun = performance.now()
      stage.press(phone, { ...POSITION, mobileBattery: 140 })
      await stage.arrives(phone, LONGEST_WAIT_MS)
      const rests = pressesOf(phone.line).filter(({ way }) => way === 'REST')
      const bad = rests.filter(({ outcome }) => outcome === '400')
      const good = rests.find(({ outcome }) => outcome === '201' || outcome === '200')
      stage.must(bad.length < 4, `it sent the refused press ${bad.length} times`)
      stage.should(
        rests.length === 0 || bad.length > 0,
        'it did not send the fields that it was given, so nothing was refused',
      )
      stage.should(rests.length > 0, 'it does not use REST: over MQTT the service drops the field')
      if (bad.length > 0) stage.must(good !== undefined, 'it gave up over one field')
      if (good !== undefined) stage.should(good.body?.latitude === POSITION.latitude, 'it dropped the position as well')
    },
  },
]
