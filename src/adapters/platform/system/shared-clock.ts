import { SECOND } from '../../../lib/durations.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { ClockJumps, SharedTime, TimeReading } from '../../../ports/shared-time.ts'
import { createMachineTime, type MachineTime, type Sources, TOLERANCE_MS } from './machine-time.ts'

export type SharedClock = Clock & {
  /** Reads the shared clock now; this also happens every 2 s. Never rejects. */
  compare(): Promise<void>
  /** Milliseconds by which this machine's own clock is ahead of the shared one. */
  machineLeadMs(): number
  /** For `/readyz`: one sentence if this machine's own clock is off by more than 2 s, or null. */
  concern(): string | null
  /** Ends the readings. Pending timers go on. */
  stop(): Promise<void>
}

const READ_EVERY_MS = 2 * SECOND
/** A living node has confirmed the clock, or moved the deadlines with it, within this time. */
const OTHERS_WITHIN_MS = READ_EVERY_MS + SECOND
const LOOK_AGAIN_MS = SECOND / 4
/** Several at the start, so that one slow answer does not matter. */
const FIRST_READINGS = 3
/** The shared clock answers in whole milliseconds. */
const ROUNDING_MS = 1

/** A machine clock further off than this is worth a warning. */
const MACHINE_OFF_MS = 2 * SECOND

/** The evidence of one reading: the shared clock was `ahead` of the time passed here, give or take `doubtMs`. */
type Proof = TimeReading & { readonly ahead: number; readonly doubtMs: number }

/**
 * The clock that all nodes share, read every 2 s and carried on by this machine's monotonic clock. A reading is exact
 * only to half its round trip: it moves this clock no further than necessary, so a slow answer moves nothing. A
 * deviation of more than a quarter of a second beyond that is a jump. The stored deadlines are moved first, by the node
 * that notices first; until they are, this clock carries the old time on. Rejects if the shared clock cannot be read.
 * docs/adr/0032.
 */
export async function createSharedClock({
  time,
  log,
  sources,
}: {
  readonly time: SharedTime
  readonly log: Log
  readonly sources?: Partial<Sources>
}): Promise<SharedClock> {
  const machine = createMachineTime(sources)
  const clock = new Carried({ time, log, machine })
  await clock.start()
  return clock
}

class Carried implements SharedClock {
  readonly movesDeadlines = true
  readonly after: Clock['after']
  readonly #needs: { readonly time: SharedTime; readonly log: Log; readonly machine: MachineTime }
  readonly #listeners: ((byMs: number) => void)[] = []
  #lead = 0
  #jumps: ClockJumps = { count: 0, totalMs: 0 }
  /** Small corrections never turn time back. */
  #newest = 0
  #timer: NodeJS.Timeout | undefined
  #comparing: Promise<void> | null = null
  #isStopped = false
  #fails = false
  #wallLead = 0
  /**
   * The most time that had passed here when the last reading showed a jump of the shared clock. Only a second such
   * reading in a row counts. Null: the last reading showed none.
   */
  #suspectedAt: number | null = null
  #isOff = false

  constructor(needs: { readonly time: SharedTime; readonly log: Log; readonly machine: MachineTime }) {
    this.#needs = needs
    this.after = needs.machine.after
  }

  async start(): Promise<void> {
    const { time } = this.#needs
    let best = await this.#look()
    for (let left = FIRST_READINGS - 1; left > 0; left -= 1) {
      const next = await this.#look()
      if (next.doubtMs < best.doubtMs) best = next
    }
    const proof = await this.#afterOthers(best)
    this.#lead = proof.ahead
    this.#jumps = proof.jumps
    time.follow(proof.jumps)
    await time.confirm(proof.now, proof.jumps)
    this.#arm()
  }

  now(): number {
    const { machine } = this.#needs
    // As in the machine's clock: an alert may be the first event after a resume.
    if (Math.abs(machine.wall() - machine.elapsed() - this.#wallLead) > TOLERANCE_MS) machine.countSuspension()
    this.#newest = Math.max(this.#newest, Math.floor(this.#lead + machine.elapsed()))
    return this.#newest
  }

  onShift(listener: (byMs: number) => void): void {
    this.#listeners.push(listener)
  }

  compare(): Promise<void> {
    this.#comparing ??= this.#compare().finally(() => {
      this.#comparing = null
    })
    return this.#comparing
  }

  machineLeadMs(): number {
    return Math.round(this.#needs.machine.wallLead() - this.#lead)
  }

  concern(): string | null {
    const lead = this.machineLeadMs()
    if (Math.abs(lead) <= MACHINE_OFF_MS) return null
    const side = lead > 0 ? 'ahead of' : 'behind'
    return `the clock of this machine is ${Math.round(Math.abs(lead) / SECOND)} s ${side} the database's, whose time counts; synchronise both (NTP)`
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#comparing
  }

  #arm(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.compare().then(() => this.#arm()), READ_EVERY_MS)
    this.#timer.unref()
  }

  async #compare(): Promise<void> {
    const { log } = this.#needs
    try {
      await this.#judge(await this.#look())
      if (this.#fails) log.info({}, 'the shared clock can be read again')
      this.#fails = false
    } catch (error) {
      if (!this.#fails) {
        log.warn({ err: error }, 'the shared clock could not be read or followed; this machine keeps its own time')
      }
      this.#fails = true
    }
  }

  /**
   * Reads the shared clock. If the machine was suspended meanwhile, the time of the answer is unknown, and it reads
   * again.
   */
  async #look(): Promise<Proof> {
    const { time, machine } = this.#needs
    for (;;) {
      machine.countSuspension()
      const before = machine.elapsed()
      const reading = await time.read()
      const halfTrip = (machine.elapsed() - before) / 2
      if (machine.countSuspension() > 0) continue
      this.#wallLead = machine.wallLead()
      return { ...reading, ahead: reading.now - (before + halfTrip), doubtMs: halfTrip + ROUNDING_MS }
    }
  }

  /**
   * Reads again for a moment if another node was the last to confirm, too long ago: the clock may just have jumped, and
   * that node, if it lives, is about to move the deadlines. This node cannot know.
   */
  async #afterOthers(first: Proof): Promise<Proof> {
    const { confirmed } = first
    if (confirmed === null || confirmed.isOwn || Math.abs(first.now - confirmed.at) < OTHERS_WITHIN_MS) return first
    const { machine } = this.#needs
    const end = machine.elapsed() + OTHERS_WITHIN_MS
    for (;;) {
      const next = await this.#look()
      const isTold = next.confirmed?.at !== confirmed.at || next.jumps.count !== first.jumps.count
      if (isTold || machine.elapsed() >= end) return next
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
  }

  async #judge(proof: Proof): Promise<void> {
    const { time, machine } = this.#needs
    const { now, jumps, confirmed } = proof
    const isBehind = jumps.count !== this.#jumps.count
    // A faster answer will tell how far the clock has jumped: the error of a slow one would be a jump in itself.
    if (isBehind && proof.doubtMs > TOLERANCE_MS) return
    const deviation = proof.ahead - this.#lead
    const proven = Math.sign(deviation) * Math.max(0, Math.abs(deviation) - proof.doubtMs)
    const suspectedAt = this.#suspectedAt
    this.#suspectedAt = null
    if (Math.abs(proven) <= TOLERANCE_MS) {
      this.#lead += proven
      this.#watchMachine()
      this.#follow(jumps)
      if (proven === 0 && proof.doubtMs > TOLERANCE_MS) return
      await time.confirm(now, jumps)
      return
    }
    const byMs = Math.round(deviation)
    const own = this.#lead + machine.elapsed()
    const passed = suspectedAt ?? own + TOLERANCE_MS
    if (isBehind) this.#shift(byMs, jumps)
    else if (confirmed !== null && confirmed.at > passed) {
      this.#stoodStill(confirmed.at <= now ? byMs : Math.round(confirmed.at - own))
    } else if (suspectedAt === null) {
      // Before the next reading, another node may report that it was this machine that stood still.
      this.#suspectedAt = passed
    } else {
      const moved = await time.move({ jumps, now, byMs, passed })
      // Another node knows more, and the next reading will include it.
      if (moved !== null) this.#shift(byMs, moved)
    }
  }

  /** Warns of a wrong machine clock. It does no harm here, but dates the log, and may serve others. */
  #watchMachine(): void {
    const concern = this.concern()
    if (concern !== null && !this.#isOff) this.#needs.log.warn({ byMs: this.machineLeadMs() }, concern)
    this.#isOff = concern !== null
  }

  /** Follows the moved deadlines: from here on this node uses the new time, too. */
  #shift(byMs: number, jumps: ClockJumps): void {
    this.#needs.log.warn({ byMs }, 'the shared clock was set; pending deadlines keep the time they had left')
    this.#lead += byMs
    this.#newest = 0
    this.#follow(jumps)
    for (const listener of this.#listeners) listener(byMs)
  }

  /** Counts time that other nodes saw pass: this machine was paused, and its clocks with it. */
  #stoodStill(ms: number): void {
    this.#needs.log.warn({ ms }, 'this machine stood still while other nodes did not')
    this.#needs.machine.skip(ms)
  }

  #follow(jumps: ClockJumps): void {
    this.#jumps = jumps
    this.#needs.time.follow(jumps)
  }
}
