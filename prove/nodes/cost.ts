import { setTimeout as sleep } from 'node:timers/promises'
import { alertTopic, telemetryTopic } from '../../bench/load/frames.ts'
import { cpuSecondsOf } from '../../bench/machine.ts'
import { median, spreadOf } from '../../bench/statistics.ts'
import { newMoment } from '../../test/harness/moment.ts'
import type { PhoneUser } from '../../test/harness/phone-user.ts'
import { type ProcessSite, startProcessSite, UNHURRIED } from '../../test/harness/process-site.ts'
import { startAlone } from '../../test/harness/standby.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import { COMMON } from '../environment.ts'
import type { Part } from '../part.ts'
import { type Row, rowOf } from '../row.ts'
import { identityOf, Phone } from '../sos/phone.ts'
import { Nodes } from './site.ts'

const TRACKERS = 12
const IN_FLIGHT = 16
const PRESSES = 60
const PAUSE_MS = 20
const ROUND_TRIPS_MS = [1, 10] as const

type Subject = {
  readonly what: string
  readonly sites: readonly ProcessSite[]
  /** Of the database server, whose processes come with its sessions. */
  readonly serverPids: () => Promise<readonly number[]>
}

const secondsOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0)
const portOf = (site: ProcessSite): number => Number(new URL(site.mqtt).port)

/** Telemetry as fast as it is acknowledged, on all nodes at once; then presses, one after another. */
async function measured({ what, sites, ...subject }: Subject, lengthMs: number): Promise<Row> {
  const users = await Promise.all(
    Array.from({ length: TRACKERS }, (_, n) => sites[n % sites.length]!.user(`tracker-${n}`)),
  )
  const phones = await Promise.all(
    users.map((user, n) => Phone.connect(portOf(sites[n % sites.length]!), identityOf(user))),
  )
  let acknowledged = 0
  const lanes = (until: number): Promise<unknown> =>
    Promise.all(
      phones.flatMap((phone, n) =>
        Array.from({ length: IN_FLIGHT }, async () => {
          while (performance.now() < until) {
            const row = { timestamp: newMoment(), latitude: 46.53, longitude: 12.13, mobileBattery: 76 }
            await phone.publish(telemetryTopic(users[n]!.userId), JSON.stringify(row))
            acknowledged += 1
          }
        }),
      ),
    )
  // The first seconds of a process are slow.
  await lanes(performance.now() + lengthMs / 2)
  acknowledged = 0
  const serverPids = await subject.serverPids()
  const pids = sites.map((site) => site.process.pid)
  const [nodes, server, began] = [secondsOf(pids), secondsOf(serverPids), performance.now()]
  await lanes(began + lengthMs)
  const tookMs = performance.now() - began
  const perMessage = (seconds: number): string => `${Math.round((seconds * 1_000_000) / acknowledged)} µs`
  const [onNodes, onServer] = [perMessage(secondsOf(pids) - nodes), perMessage(secondsOf(serverPids) - server)]
  const presses = await pressed(users[0]!, phones[0]!)
  for (const phone of phones) phone.close()
  return rowOf({
    part: 'cost',
    what,
    acknowledged,
    remark: [
      `${Math.round((acknowledged * 1000) / tookMs).toLocaleString('en')} rows/s`,
      `processor time a row: service ${onNodes}${serverPids.length === 0 ? '' : `, database ${onServer}`}`,
      `press to PUBACK, idle: median ${median(presses).toFixed(1)} ms, at most ${spreadOf(presses).max.toFixed(1)} ms`,
    ].join('; '),
  })
}

async function pressed(user: PhoneUser, phone: Phone): Promise<readonly number[]> {
  const times: number[] = []
  for (let n = 0; n < PRESSES; n += 1) {
    const began = performance.now()
    await phone.publish(alertTopic(user.userId), JSON.stringify({ timestamp: newMoment() }))
    times.push(performance.now() - began)
    await sleep(PAUSE_MS)
  }
  return times
}

/** What several nodes cost, beside SQLite on one, in one run. */
export const cost: Part = {
  name: 'cost',
  what: 'rows and presses on SQLite, and on PostgreSQL with one node and more',
  async run(ground, { attackMs, nodes: count }) {
    const rows: Row[] = []
    const box = await startProcessSite(ground, { settings: UNHURRIED, env: COMMON })
    rows.push(await measured({ what: 'SQLite', sites: [box], serverPids: async () => [] }, attackMs))
    await box.stop()
    const twilio = await startTwilio(ground)
    const servers = await startAlone(ground)
    const nodes = new Nodes(ground, { servers, twilio, settings: UNHURRIED })
    const measure = async (what: string): Promise<void> => {
      const sites = nodes.living.map(({ site }) => site)
      rows.push(await measured({ what, sites, serverPids: () => servers.primary.pids() }, attackMs))
    }
    const first = await nodes.starts()
    await measure('PostgreSQL, 1 node')
    for (const ms of ROUND_TRIPS_MS) {
      first.gate.delays(ms)
      await measure(`PostgreSQL, 1 node, round trips ${ms} ms longer`)
    }
    first.gate.delays(0)
    while (nodes.living.length < count) {
      await nodes.starts()
      await measure(`PostgreSQL, ${nodes.living.length} nodes`)
    }
    return rows
  },
}
