import type { IncidentEvent } from '../core/incident/event.ts'
import type { TalkEvent } from '../core/incident/talk.ts'
import type { TimerReminder } from '../core/timer/timer.ts'
import type { Committed } from './incident-store.ts'

/**
 * A change by another process (the command line, another node) through the same door, which the running service must
 * announce.
 */
export type Notice =
  | {
      readonly kind: 'committed'
      readonly incidentId: string
      readonly events: readonly IncidentEvent[]
      readonly nextActionAt: number | null
    }
  /** A note or a tick was written on this incident. */
  | { readonly kind: 'case'; readonly incidentId: string }
  /** A line of the talk was stored, which the person's own connections get. */
  | { readonly kind: 'talk'; readonly said: TalkEvent }
  /** The people signed in at the rescue desk, or their rights, have changed. */
  | { readonly kind: 'desk' }
  /** A timer is about to run out. */
  | { readonly kind: 'timer'; readonly reminder: TimerReminder }
  /** Some sessions of this application may no longer be admitted. */
  | { readonly kind: 'admission'; readonly appId: string }
  /** The operator confirmed that the clock is right. */
  | { readonly kind: 'clock_accepted' }
  /** Settings of the site have changed. */
  | { readonly kind: 'settings' }
  /** These MQTT clients have connected to another node. */
  | { readonly kind: 'connected'; readonly clients: readonly Connected[] }
  /** For 15 s this process could not read the others' notices: it must not keep clients until it can. */
  | { readonly kind: 'cut_off' | 'back' }

/** A client, and when it connected: epoch ms with a fraction, by the clock of the store. */
export type Connected = readonly [key: string, at: number]

/**
 * Leaves a notice that these clients have connected here, `since` in monotonic milliseconds. Resolves with the moments
 * by the clock of the store, in the same order. Rejects with a StoreError.
 */
export type ClientMoments = (
  clients: readonly { readonly key: string; readonly since: number }[],
) => Promise<readonly number[]>

export type NoticeStore = {
  /**
   * Calls `listener`, within a second, with every notice that another process leaves once this has resolved. Resolves
   * with a function that ends that. Rejects with a StoreError.
   */
  onNotice(listener: (notice: Notice) => void): Promise<() => void>
  /**
   * For a store that several nodes share: whether this process announces the events of its own commit. A promise:
   * earlier events of the incident, which another node has committed, come first. False: its notice has come by, and
   * the listener has announced them. Never rejects.
   */
  readonly announcesNow?: (committed: Committed) => boolean | Promise<boolean>
  /** For a store that several nodes share. */
  readonly announceClients?: ClientMoments
  /** Age of this process's last look at other nodes' notices, in ms; 0 while it follows nobody. */
  readonly noticesAgeMs?: () => number
}

/**
 * Kinds of data that are kept for a number of days. `incidents`: closed ones, with trail, alerts, tracking tokens and
 * outbox texts.
 */
export type ExpiringKind =
  | 'telemetry'
  | 'incidents'
  | 'outbox'
  | 'deadLetters'
  | 'feedback'
  | 'audit'
  | 'timers'
  | 'awaitedEnds'
  | 'unnamedEnds'
  | 'settingChanges'
  | 'appInvitations'

/**
 * One batch: at most `max` rows that came in (or were closed) before `before` (epoch ms), starting where the previous
 * batch ended; '' for the first.
 */
export type Expired = { readonly before: number; readonly max: number; readonly from: string }
/** `next`: where the next batch starts; null if nothing is left. */
export type DeletedBatch = { readonly deleted: number; readonly next: string | null }

export type RetentionStore = {
  /** Deletes one batch of expired rows, behind every other write. Touches nothing of an open incident. */
  deleteExpired(kind: ExpiringKind, expired: Expired): Promise<DeletedBatch>
}

export type UrgencyStore = {
  /**
   * Gives open incidents that an earlier version stored without one their place on the board, behind every other write:
   * reads `max` of the first ones, from where the last slice ended; '' for the first. `next`: null after the last one.
   */
  placeOnBoard(slice: {
    readonly from: string
    readonly max: number
  }): Promise<{ readonly placed: number; readonly next: string | null }>
}

/** Figures that an operator watches. */
export type Figures = {
  readonly deadLetters: number
  readonly openIncidents: Readonly<Record<'active' | 'acknowledged', number>>
  /** Open incidents that wait for the operator after a restore. */
  readonly heldIncidents: number
}

export type StoreFigures = Figures & {
  /** The same by application; one that has nothing to count is absent. */
  readonly ofApplications: ReadonlyMap<string, Figures>
}

/** A database server that keeps the store, as it says of itself. */
export type StoreServer = {
  /** Reasons why acknowledged data may be lost although everything works, in sentences for the operator. */
  concerns(): readonly string[]
  /** How many standbys every commit waits for or may; null until it has been asked. */
  synchronousStandbys(): number | null
}

export type Upkeep = {
  /** Absent for a store without a server of its own. */
  readonly server?: StoreServer
  /**
   * Computed in the background: neither reads nor writes wait for it, however large the store. May take as long as the
   * disk does.
   */
  figures(): Promise<StoreFigures>
  /** Resolves once a write has reached the disk. Rejects with its StoreError. */
  checkWritable(): Promise<void>
  /** Why the store, which still works, may soon fail: a sentence for the operator. Null while all is well. */
  trouble(): string | null
  /** Commits everything submitted, then closes. */
  close(): Promise<void>
}
