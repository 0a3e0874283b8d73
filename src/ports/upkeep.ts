import type { IncidentEvent } from '../core/incident/event.ts'

/** What another process (the command line) did through the same door, for the running service to announce. */
export type Notice =
  | { readonly kind: 'committed'; readonly events: readonly IncidentEvent[]; readonly nextActionAt: number | null }
  /** Somebody of this application may no longer be admitted. */
  | { readonly kind: 'admission'; readonly appId: string }
  /** The operator says that the clock is right. */
  | { readonly kind: 'clock_accepted' }

export type NoticeStore = {
  /**
   * Calls `listener` with every notice that another process leaves from now on, within a second. Returns how to stop.
   */
  onNotice(listener: (notice: Notice) => void): () => void
}

/**
 * What is kept for a number of days. `incidents`: closed ones, with trail, alerts, tracking tokens and outbox texts.
 */
export type ExpiringKind = 'telemetry' | 'incidents' | 'outbox' | 'deadLetters' | 'feedback'

/**
 * One batch: of what came in (or was closed) before `before` (epoch ms), at most `max` rows, from where the batch
 * before left off; '' at first.
 */
export type Expired = { readonly before: number; readonly max: number; readonly from: string }
/** `next`: where the next batch goes on; null when nothing is left. */
export type DeletedBatch = { readonly deleted: number; readonly next: string | null }

export type RetentionStore = {
  /**
   * Deletes a batch of what has been kept long enough, behind every other write. Touches nothing of an open incident.
   */
  deleteExpired(kind: ExpiringKind, expired: Expired): Promise<DeletedBatch>
}

/** What an operator watches. */
export type StoreFigures = {
  readonly deadLetters: number
  readonly openIncidents: Readonly<Record<'active' | 'acknowledged', number>>
  /** Those of them that wait for the operator after a restore. */
  readonly heldIncidents: number
}

export type Upkeep = {
  /**
   * Found out aside: neither reads nor writes wait for it, however large the store. May take as long as the disk does.
   */
  figures(): Promise<StoreFigures>
  /** Resolves if a write has reached the disk; rejects with the StoreError that it met. */
  checkWritable(): Promise<void>
  /** Why the store, although it still works, soon may not: a sentence for the operator. Null while all is well. */
  trouble(): string | null
  /** Commits what was handed in, then closes. */
  close(): Promise<void>
}
