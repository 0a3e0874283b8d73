import { Worker } from 'node:worker_threads'
import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { StoreError } from '../../../../ports/store.ts'
import { type Arguments, type Result, ruleOf, type WriteCall, type WriteName } from '../writes.ts'
import type { BatchOutcome } from './batch.ts'
import { bytesOf, CommitLanes, senderOf } from './commit-lanes.ts'
import { failureOfKind, type StoreFailure, toStoreError } from './failure.ts'
import { StoreNews } from './store-news.ts'
import type { FromWriter, ToWriter, WriterOptions } from './writer.ts'

type Waiting = {
  readonly call: WriteCall
  readonly sender: string
  readonly bytes: number
  readonly handedInAt: number
  readonly resolve: (result: never) => void
  readonly reject: (error: StoreError) => void
}

type Parts = {
  readonly log: Log
  readonly meter: Meter
  /** Called once, when writing is no longer possible and earlier writes cannot be trusted to be on disk. */
  readonly onFatal: (error: Error) => void
  /** Bytes that may wait in memory before bulk writes are refused. */
  readonly maxWaitingBytes?: number
}

/** The default where the configuration does not set `limits.waitingMb`. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024

const WRITER = new URL('./writer.ts', import.meta.url)

/**
 * Groups writes into commits. While the writer thread commits one batch, the next one is collected. All writes of a
 * batch settle after its commit, in the order in which they were written.
 */
export class CommitQueue {
  readonly #worker: Worker
  readonly #parts: Parts
  readonly #news: StoreNews
  readonly #lanes: CommitLanes<Waiting>
  #inFlight: readonly Waiting[] | null = null
  #scheduled = false
  #ended: StoreFailure | null = null
  #closing: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null

  /** Starts the thread. Rejects with a sentence for the operator if the database is unusable. */
  static async open(options: WriterOptions, parts: Parts, script = WRITER): Promise<CommitQueue> {
    const news = new StoreNews(parts)
    const worker = new Worker(script, { workerData: options, name: 'store writer', execArgv: [] })
    const beginning = new Promise<void>((resolve, reject) => {
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the store writer exited before it was ready')))
      worker.on('message', (message: FromWriter) => {
        if ('log' in message || 'reserve' in message) return hear(news, message)
        if ('ready' in message) return resolve()
        reject(new StoreError('unusable' in message ? message.unusable : 'could not open the store', 'fault'))
      })
    })
    await beginning.catch(async (error) => {
      await worker.terminate()
      throw error
    })
    // By name: removing all listeners would also remove Node's own, which deliver the messages.
    for (const event of ['error', 'exit', 'message']) worker.removeAllListeners(event)
    return new CommitQueue(worker, parts, news)
  }

  private constructor(worker: Worker, parts: Parts, news: StoreNews) {
    this.#worker = worker
    this.#lanes = new CommitLanes(parts.maxWaitingBytes ?? MAX_WAITING_BYTES)
    this.#parts = parts
    this.#news = news
    worker.on('message', (message: FromWriter) => {
      if ('outcome' in message) this.#settle(message.outcome)
      else if ('fatal' in message) this.#fail(message.fatal)
      else if ('log' in message || 'reserve' in message) hear(news, message)
    })
    worker.on('error', (error) => this.#fail(died(error.message)))
    worker.on('exit', () => this.#exited())
  }

  /** Settles when the write is on disk; rejects with a StoreError when nothing of it is stored. */
  write<N extends WriteName>(name: N, ...args: Arguments<N>): Promise<Result<N>> {
    if (this.#ended !== null) return Promise.reject(toStoreError(this.#ended))
    if (this.#closing !== null) return Promise.reject(toStoreError(failureOfKind('closed')))
    return new Promise((resolve, reject) => {
      const call = [name, ruleOf(name).moment?.(...args) ?? 0, args] as const
      const about = { call, sender: senderOf(call), bytes: bytesOf(call) }
      if (this.#lanes.add({ ...about, handedInAt: performance.now(), resolve, reject })) this.#schedule()
      else reject(this.#overloaded())
    })
  }

  /** Whether this sender should hold its telemetry back, so that less waits in memory. */
  isCongested(sender: string): boolean {
    return this.#lanes.isCongested(sender)
  }

  /** Why the store may fail soon although it still works; null if all is well. */
  get trouble(): string | null {
    return this.#news.trouble
  }

  #overloaded(): StoreError {
    this.#parts.meter.count('store_failures_total', { kind: 'overloaded' })
    return toStoreError(failureOfKind('overloaded'))
  }

  /** Commits all pending writes, then ends the thread. */
  close(): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers<void>()
      if (this.#ended === null) this.#schedule()
      else this.#worker.terminate().finally(this.#closing.resolve)
    }
    return this.#closing.promise
  }

  #schedule(): void {
    if (this.#scheduled || this.#inFlight !== null) return
    this.#scheduled = true
    // Everything that arrives in this turn of the event loop joins the batch.
    setImmediate(() => {
      this.#scheduled = false
      if (this.#inFlight === null) this.#next()
    })
  }

  #next(): void {
    if (this.#ended !== null) return
    const batch = this.#lanes.take()
    if (batch.length > 0) {
      this.#inFlight = batch
      this.#post({ calls: batch.map((waiting) => waiting.call) })
    } else if (this.#closing !== null) {
      this.#post({ close: true })
    }
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message)
  }

  #settle(outcome: BatchOutcome): void {
    const batch = this.#inFlight ?? []
    this.#inFlight = null
    // The writer starts on the next batch while this thread settles the last one.
    if (this.#lanes.length > 0 && !('failed' in outcome && outcome.failed.fatal)) this.#next()
    const oldest = batch.reduce((earliest, { handedInAt }) => Math.min(earliest, handedInAt), Number.POSITIVE_INFINITY)
    this.#parts.meter.observe('commit_seconds', (performance.now() - oldest) / 1000)
    if ('failed' in outcome) {
      this.#rejectAll(batch, outcome.failed)
      if (outcome.failed.fatal) this.#fail(outcome.failed)
    } else {
      const failures = new Map(outcome.failures)
      for (const [index, { resolve, reject }] of batch.entries()) {
        const failure = failures.get(index)
        if (failure === undefined) resolve(outcome.results[index] as never)
        else {
          this.#parts.meter.count('store_failures_total', { kind: failure.kind })
          reject(toStoreError(failure))
        }
      }
    }
    if (this.#closing !== null) this.#schedule()
  }

  #rejectAll(batch: readonly Waiting[], failure: StoreFailure): void {
    this.#parts.meter.count('store_failures_total', { kind: failure.kind })
    this.#parts.log.error({ kind: failure.kind, writes: batch.length, error: failure.message }, 'a commit failed')
    for (const { reject } of batch) reject(toStoreError(failure))
  }

  #exited(): void {
    if (this.#closing !== null && this.#inFlight === null && this.#lanes.length === 0) {
      this.#ended ??= failureOfKind('closed')
      this.#closing.resolve()
    } else this.#fail(died('it exited'))
  }

  #fail(failure: StoreFailure): void {
    if (this.#ended !== null) return
    this.#ended = failure
    const waiting = [...(this.#inFlight ?? []), ...this.#lanes.drain()]
    this.#inFlight = null
    this.#rejectAll(waiting, failure)
    this.#worker.terminate().finally(() => this.#closing?.resolve())
    this.#parts.log.error({ error: failure.message }, 'the store can no longer be trusted; stopping this process')
    this.#parts.onFatal(toStoreError(failure))
  }
}

function hear(news: StoreNews, message: Extract<FromWriter, { log: unknown } | { reserve: unknown }>): void {
  if ('log' in message) news.hearLog(message.log)
  else news.hearReserve(message.reserve)
}

const died = (why: string): StoreFailure => ({ kind: 'fault', message: `the store writer died: ${why}`, fatal: true })
