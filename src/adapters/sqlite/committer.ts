import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import { StoreError } from '../../ports/store.ts'
import { storeErrorOf } from './fault.ts'
import type { BatchResult, Operation, WriterData } from './writer.ts'

/** Alerts and everything about people and incidents go before telemetry. Decisions 3. */
export type Lane = 'first' | 'telemetry'

/** A batch is short enough that an alert which just missed it does not wait long, and long enough to be worth its fsync. */
const TELEMETRY_PER_BATCH = 1000
const FIRST_PER_BATCH = 500

type Pending = {
  readonly operation: Operation
  readonly handedInAt: number
  readonly resolve: (value: never) => void
  readonly reject: (error: StoreError) => void
}

export type CommitterOptions = {
  readonly writer: WriterData
  readonly log: Log
  readonly meter: Meter
  readonly onFatal: (error: Error) => void
}

/**
 * Hands writes to the writer thread in batches: while one is being committed the next one gathers, and all of a batch settles after its
 * commit, in the order in which it was handed in.
 */
export class Committer {
  readonly #options: CommitterOptions
  readonly #worker: Worker
  readonly #waiting: Record<Lane, Pending[]> = { first: [], telemetry: [] }
  #underWay: readonly Pending[] | null = null
  #planned = false
  #closed = false
  #whenIdle: (() => void) | null = null

  private constructor(options: CommitterOptions, worker: Worker) {
    this.#options = options
    this.#worker = worker
    worker.on('message', (result: BatchResult) => this.#settle(result))
    worker.on('error', (error) => this.#die(error))
    worker.on('exit', () => this.#die(new Error('the writer thread ended')))
  }

  /** Starts the writer thread, and waits until it can write. Rejects with what kept it from that. */
  static async start(options: CommitterOptions): Promise<Committer> {
    const worker = new Worker(new URL('./writer.ts', import.meta.url), { workerData: options.writer })
    await once(worker, 'message')
    return new Committer(options, worker)
  }

  /** Settles after the commit: with the operation's value, or with a StoreError when nothing of it was stored. */
  write<T>(lane: Lane, operation: Operation): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) return reject(new StoreError('the store is closed', 'closed'))
      this.#waiting[lane].push({ operation, handedInAt: performance.now(), resolve, reject })
      this.#plan()
    })
  }

  /** Commits what was handed in, then ends the thread. */
  async close(): Promise<void> {
    if (this.#closed) return
    while (this.#underWay !== null || this.#waiting.first.length + this.#waiting.telemetry.length > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
    }
    this.#closed = true
    this.#worker.postMessage(null)
    await once(this.#worker, 'exit')
  }

  /** Waits for the end of this turn of the event loop, so that packets that arrived together are committed together. */
  #plan(): void {
    if (this.#planned || this.#underWay !== null) return
    this.#planned = true
    setImmediate(() => {
      this.#planned = false
      this.#hand()
    })
  }

  #hand(): void {
    if (this.#underWay !== null) return
    const { first, telemetry } = this.#waiting
    const batch = [...first.splice(0, FIRST_PER_BATCH), ...telemetry.splice(0, TELEMETRY_PER_BATCH)]
    if (batch.length === 0) {
      this.#whenIdle?.()
      return
    }
    this.#underWay = batch
    this.#worker.postMessage(batch.map((pending) => pending.operation))
  }

  #settle({ results, fatal }: BatchResult): void {
    const batch = this.#underWay ?? []
    this.#underWay = null
    this.#hand()
    const now = performance.now()
    for (const [place, pending] of batch.entries()) {
      const result = results[place]!
      if ('fault' in result) this.#fail(pending, storeErrorOf(result.fault))
      else pending.resolve(result.value as never)
    }
    const oldest = batch[0]
    if (oldest !== undefined) this.#options.meter.observe('commit_seconds', (now - oldest.handedInAt) / 1000)
    if (fatal) this.#die(new Error('what is on disk is no longer known'))
  }

  #fail(pending: Pending, error: StoreError): void {
    this.#options.meter.count('store_failures_total', { kind: error.kind })
    this.#options.log.error({ write: pending.operation[0], kind: error.kind, err: error }, 'a write was not stored')
    pending.reject(error)
  }

  /** The thread is gone or its file cannot be trusted: nothing is acknowledged any more, and the process has to end. */
  #die(cause: Error): void {
    if (this.#closed) return
    this.#closed = true
    const error = new StoreError('the store has failed', 'closed', { cause })
    for (const pending of [...(this.#underWay ?? []), ...this.#waiting.first, ...this.#waiting.telemetry])
      pending.reject(error)
    this.#underWay = null
    this.#whenIdle?.()
    this.#options.onFatal(cause)
  }
}
