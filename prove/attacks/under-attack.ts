import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ProcessSite,
  type ProcessSiteOptions,
  startProcessSite,
  UNHURRIED,
} from '../../test/harness/process-site.ts'
import { COMMON } from '../environment.ts'
import type { Ground } from '../ground.ts'
import type { Part } from '../part.ts'
import { type Row, rowOf, unmet } from '../row.ts'
import type { Size } from '../size.ts'
import { Vitals } from '../sos/vitals.ts'
import { columnsOf, Witness, type WitnessOptions } from '../sos/witness.ts'

/** The default limits, which the test harness turns off. */
const AS_SHIPPED = {
  TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_USER: '',
  TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_ADDRESS: '',
} as const

/** `over`: aborted when the attack's time is up. */
export type Field = { readonly ground: Ground; readonly site: ProcessSite; readonly over: AbortSignal }

export type Attack = {
  readonly name: string
  readonly what: string
  /** The options of the service; the ground cleans up what they use. */
  readonly site?: (ground: Ground) => ProcessSiteOptions | Promise<ProcessSiteOptions>
  readonly witness?: WitnessOptions
  /** Multiplies the usual duration, for attacks whose effect takes longer to show. */
  readonly times?: number
  /**
   * How long to wait for B's presses afterwards, if shorter than usual: what has not come through by then never will.
   */
  readonly reliefMs?: number
  /** Whether the process must not end, on any machine. */
  readonly mustLive?: boolean
  /** Creates what the attack needs: users, rows. */
  readonly prepare?: (field: Field) => Promise<void>
  /**
   * Attacks until `over`, and returns a remark for the row: what was sent, how the service reacted. Broken connections
   * are part of an attack, so it only rejects if the attack could not be made.
   */
  readonly run: (field: Field) => Promise<string>
}

/** One attack as a part: B presses SOS before, during and after it. */
export const attackPart = (attack: Attack): Part => ({
  name: attack.name,
  what: attack.what,
  async run(ground, size) {
    return [await underAttack(ground, attack, size)]
  },
})

async function underAttack(
  ground: Ground,
  { name, what, site: siteOf, witness: options, times = 1, prepare, run, ...attack }: Attack,
  { warmUpMs, attackMs, ...size }: Size,
): Promise<Row> {
  const { mustLive = false } = attack
  const reliefMs = Math.min(size.reliefMs, attack.reliefMs ?? size.reliefMs)
  const chosen = (await siteOf?.(ground)) ?? {}
  const site = await startProcessSite(ground, {
    settings: UNHURRIED,
    ...chosen,
    env: { ...COMMON, ...AS_SHIPPED, ...chosen.env },
  })
  const ending = new AbortController()
  ground.after(() => ending.abort())
  const field: Field = { ground, site, over: ending.signal }
  await prepare?.(field)
  const warmUp = await Witness.begin(ground, site, { ...options, people: 5 })
  await sleep(warmUpMs)
  const quiet = await warmUp.end(reliefMs)

  const vitals = new Vitals(site)
  const witness = await Witness.begin(ground, site, options)
  const attacking = run(field)
  // A service that has ended breaks its attackers' connections.
  attacking.catch(() => {})
  const stop = performance.now() + attackMs * times
  while (performance.now() < stop && vitals.endedAfterMs === null) await sleep(50)
  ending.abort()
  const presses = await witness.end(vitals.endedAfterMs === null ? reliefMs : 0)
  const said = await Promise.race([attacking, sleep(reliefMs, 'the attacker did not come to an end', { ref: false })])
  const ended = vitals.endedAfterMs
  const held = vitals.stop()

  // As its service manager would.
  if (!site.process.isRunning) await site.start()
  const lost = await witness.lostOf(presses)
  const fate = ended === null ? '' : `the process ENDED after ${(ended / 1000).toFixed(1)} s: ${whyEnded(site.output)}`
  const remark = [fate, said].filter((text) => text !== '').join('; ')
  const faults = mustLive ? unmet({ 'the process lives on': ended === null }) : []
  return rowOf({ part: name, what, ...columnsOf(presses, quiet), lost, ...held, remark, faults })
}

/** Why a process ended, in brief. */
function whyEnded(output: string): string {
  const reason = /JavaScript heap out of memory|EMFILE[^"\n]*|FATAL ERROR: [^\n]*/.exec(output)
  return reason?.[0] ?? 'see its log'
}
