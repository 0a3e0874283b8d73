import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { type Settle, StoreError, type TelemetryStored } from '../../../../ports/store.ts'
import { MAX_WAITING_BYTES, ROW_BYTES } from '../../shared/commit-limits.ts'
import type { FlatRow } from '../../shared/telemetry-row.ts'
import { failureOfKind, type StoreFailure, toStoreError } from '../engine/failure.ts'
import { outcomeAt, RowPacker } from '../telemetry/packed-rows.ts'
import { type Arguments, type Result, ruleOf, type WriteCall, type WriteName } from '../writes.ts'
import type { BatchOutcome } from './batch.ts'
import { bytesOf, type CommitBatch, CommitLanes, senderOf } from './commit-lanes.ts'
import type { WriterEnd } from './start-writer.ts'
import { StoreNews } from './store-news.ts'
import type { FromWriter, ToWriter } from './writer.ts'

type Waiting<T> = {
  readonly sender: string
  readonly bytes: number
  readonly handedInAt: number
  /** Takes the result of the write, or the reason why nothing of it is stored. */
  readonly settle: Settle<T>
}
type WaitingCall = Waiting<unknown> & { readonly call: WriteCall }
type WaitingRow = Waiting<TelemetryStored> & { readonly row: FlatRow }
type Batch = CommitBatch<WaitingCall, WaitingRow>
/** The part of a waiting write that a failure needs. */
type Refusable = Pick<Waiting<never>, 'settle'>

type CommitQueueNeeds = {
  readonly log: Log
  readonly meter: Meter
  /** Called once, when writing is no longer possible and earlier writes cannot be trusted to be on disk. */
  readonly onFatal: (error: Error) => void
  /** Bytes that may wait in memory before bulk writes are refused. */
  readonly maxWaitingBytes?: number
}

const NOTHING: Batch = { calls: [], rows: [] }

/**
 * Groups writes into commits. While the writer commits one batch, the next one is collected. All writes of a
 * batch settle after its commit, in the order in which they were written.
 */
export class CommitQueue {
  readonly #writer: WriterEnd
  readonly #needs: CommitQueueNeeds
  readonly #news: StoreNews
  readonly #lanes: CommitLanes<WaitingCall, WaitingRow>
  readonly #packer = new RowPacker()
  #inFlight: Batch | null = null
  #scheduled = false
  #ended: StoreFailure | null = null
  #closing: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null

  /** Resolves when the writer is ready. Rejects with a sentence for the operator if the database is unusable. */
  static async open(writer: WriterEnd, needs: CommitQueueNeeds): Promise<CommitQueue> {
    const news = new StoreNews(needs)
    const beginning = new Promise<void>((resolve, reject) => {
      writer.on('error', reject)
      writer.on('exit', () => reject(new Error('the store writer exited before it was ready')))
      writer.on('message', (message: FromWriter) => {
        if ('log' in message || 'reserve' in message) return hear(news, message)
        if ('ready' in message) return resolve()
        reject(new StoreError('unusable' in message ? message.unusable : 'could not open the store', 'fault'))
      })
    })
    await beginning.catch(async (error) => {
      await writer.terminate()
      throw error
    })
    // By name: removing all listeners would also remove Node's own, which deliver the messages.
    for (const event of ['error', 'exit', 'message']) writer.removeAllListeners(event)
    return new CommitQueue(writer, needs, news)
  }

  private constructor(writer: WriterEnd, needs: CommitQueueNeeds, news: StoreNews) {
    this.#writer = writer
    this.#lanes = new CommitLanes(needs.maxWaitingBytes ?? MAX_WAITING_BYTES)
    this.#needs = needs
    this.#news = news
    writer.on('message', (message: FromWriter) => {
      if ('outcome' in message) this.#settle(message.outcome)
      else if ('fatal' in message) this.#fail(message.fatal)
      else if ('log' in message || 'reserve' in message) hear(news, message)
    })
    writer.on('error', (error) => this.#fail(died(error.message)))
    writer.on('exit', () => this.#exited())
  }

  /** Settles when the write is on disk; rejects with a StoreError when nothing of it is stored. */
  write<N extends WriteName>(name: N, ...args: Arguments<N>): Promise<Result<N>> {
    return new Promise((resolve, reject) => {
      const call: WriteCall = [name, ruleOf(name).moment?.(...args) ?? 0, args]
      const settle = (result: unknown): void => {
        if (result instanceof StoreError) reject(result)
        else resolve(result as Result<N>)
      }
      this.#add({ call, sender: senderOf(call), bytes: bytesOf(call), handedInAt: performance.now(), settle })
    })
  }

  /** Settles when the row is on disk, or with a StoreError when it is not stored. */
  append(row: FlatRow, settle: Settle<TelemetryStored>): void {
    const bytes = ROW_BYTES + row.compact.byteLength
    this.#add({ row, sender: row.reporterId, bytes, handedInAt: performance.now(), settle })
  }

  #add(waiting: WaitingCall | WaitingRow): void {
    if (this.#ended !== null) this.#refuse(waiting, this.#ended)
    else if (this.#closing !== null) this.#refuse(waiting, failureOfKind('closed'))
    else if (this.#lanes.add(waiting)) this.#schedule()
    else waiting.settle(this.#overloaded())
  }

  /** Whether this sender should hold its telemetry back, so that less waits in memory. */
  isCongested(sender: string): boolean {
    return this.#lanes.isCongested(sender)
  }

  /** The reason why the store may fail soon although it still works; null if all is well. */
  get trouble(): string | null {
    return this.#news.trouble
  }

  #overloaded(): StoreError {
    this.#needs.meter.count('store_failures_total', { kind: 'overloaded' })
    return toStoreError(failureOfKind('overloaded'))
  }

  /** Commits all pending writes, then ends the thread. */
  close(): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers<void>()
      if (this.#ended === null) this.#schedule()
      else this.#writer.terminate().finally(this.#closing.resolve)
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
    const batch = this.#lanes.take(performance.now())
    if (batch.calls.length + batch.rows.length > 0) {
      this.#inFlight = batch
      const calls = batch.calls.map(({ call }) => call)
      this.#post({ calls, rows: this.#packer.pack(batch.rows.map(({ row }) => row)) })
    } else if (this.#closing !== null) {
      this.#post({ close: true })
    }
  }

  #post(message: ToWriter): void {
    this.#writer.postMessage(message)
  }

  #settle(outcome: BatchOutcome): void {
    const { calls, rows } = this.#inFlight ?? NOTHING
    this.#inFlight = null
    // The writer starts on the next batch while this thread settles the last one.
    if (this.#lanes.length > 0 && !('failed' in outcome && outcome.failed.fatal)) this.#next()
    const oldest = Math.min(oldestOf(calls), oldestOf(rows))
    this.#needs.meter.observe('commit_seconds', (performance.now() - oldest) / 1000)
    if ('failed' in outcome) {
      this.#rejectAll([...calls, ...rows], outcome.failed)
      if (outcome.failed.fatal) this.#fail(outcome.failed)
    } else {
      const failures = new Map(outcome.failures)
      calls.forEach((call, index) => {
        const failure = failures.get(index)
        if (failure === undefined) call.settle(outcome.results[index])
        else this.#refuse(call, failure)
      })
      rows.forEach((row, index) => {
        const stored = outcomeAt(outcome.rows, index)
        if ('failed' in stored) this.#refuse(row, stored.failed)
        else row.settle(stored)
      })
    }
    if (this.#closing !== null) this.#schedule()
  }

  #refuse({ settle }: Refusable, failure: StoreFailure): void {
    this.#needs.meter.count('store_failures_total', { kind: failure.kind })
    settle(toStoreError(failure))
  }

  #rejectAll(batch: readonly Refusable[], failure: StoreFailure): void {
    this.#needs.meter.count('store_failures_total', { kind: failure.kind })
    this.#needs.log.error({ kind: failure.kind, writes: batch.length, error: failure.message }, 'a commit failed')
    for (const { settle } of batch) settle(toStoreError(failure))
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
    const { calls, rows } = this.#inFlight ?? NOTHING
    const waiting = [...calls, ...rows, ...this.#lanes.drain()]
    this.#inFlight = null
    this.#rejectAll(waiting, failure)
    this.#writer.terminate().finally(() => this.#closing?.resolve())
    this.#needs.log.error({ error: failure.message }, 'the store can no longer be trusted; stopping this process')
    this.#needs.onFatal(toStoreError(failure))
  }
}

function hear(news: StoreNews, message: Extract<FromWriter, { log: unknown } | { reserve: unknown }>): void {
  if ('log' in message) news.hearLog(message.log)
  else news.hearReserve(message.reserve)
}

const oldestOf = (batch: readonly Pick<Waiting<never>, 'handedInAt'>[]): number =>
  batch.reduce((earliest, { handedInAt }) => Math.min(earliest, handedInAt), Number.POSITIVE_INFINITY)

const died = (why: string): StoreFailure => ({ kind: 'fault', message: `the store writer died: ${why}`, fatal: true })
