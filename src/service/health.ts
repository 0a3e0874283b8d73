import { isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import { type Phase, readiness } from '../app/ready/readiness.ts'
import { surveyReadiness } from '../app/ready/readiness-survey.ts'
import { userReadiness } from '../app/ready/user-readiness.ts'
import type { Calendar } from '../app/upkeep/calendar.ts'
import type { NightlyBackups } from '../app/upkeep/nightly-backup.ts'
import type { Cards } from '../app/user/cards.ts'
import type { Canary } from '../app/watch/canary.ts'
import type { OnCallWatch } from '../app/watch/on-call-watch.ts'
import { siteFactsOf } from '../config/provider-channels.ts'
import { nodeLinkConcern } from '../config/public-address.ts'
import { mailOnlyConcern } from '../config/warnings.ts'
import type { Config } from '../config.ts'
import { publicUrlConcern } from '../core/account/public-url.ts'
import type { Addresses } from './addresses.ts'
import type { Closers } from './closers.ts'
import { brokerAnswering } from './own-listener.ts'
import type { Sending } from './sending.ts'
import type { Basis } from './storage.ts'

/** Whether alarms work, for the site and for each user. */
export type Health = {
  /** The reasons why the service is not ready, as in `/readyz`. */
  readonly readiness: () => Promise<readonly string[]>
  /** Problems that do not stop alarms, in sentences for the operator: `/readyz` lists them. */
  readonly concerns: () => readonly string[]
  /** The canary of this node. `passedAt`: its last run that passed, epoch ms; null: none since the start. Null: off. */
  readonly canary: () => { readonly passedAt: number | null; readonly failuresInARow: number } | null
  readonly ofUsers: ReturnType<typeof userReadiness>
  /** As of the last survey. */
  readonly usersByStatus: () => Readonly<Record<string, number>>
  /** Of the on-call list. */
  readonly onCallFindings: () => Readonly<Record<string, number>>
}

export function prepareHealth(
  config: Config,
  basis: Basis,
  {
    phase,
    addresses,
    sending,
    calendar,
    canary,
    backups,
    lorawan,
    certificates,
    cards,
    sos,
    onCall,
    push,
  }: {
    readonly phase: () => Phase
    readonly addresses: Addresses
    readonly sending: Sending
    readonly calendar: Calendar
    readonly canary: Canary | null
    readonly backups: Pick<NightlyBackups, 'concern'> | null
    readonly lorawan: { readonly concerns: () => readonly string[] }
    readonly certificates: { readonly concerns: () => readonly string[] }
    readonly cards: Pick<Cards, 'concern'>
    readonly sos: { readonly concern: () => string | null }
    readonly onCall: Pick<OnCallWatch, 'concerns' | 'findings'>
    readonly push: { readonly concern: () => string | null }
  },
  closers: Closers,
): Health {
  const { store, clock, sharedClock, log, lease, unnamedEnds, site } = basis
  const modemState = () => sending.text.modem?.state ?? null
  const ofUsers = userReadiness({
    store,
    clock,
    defaults: config.notifications.defaults,
    site() {
      const modem = modemState()
      return {
        ...siteFactsOf(site.now),
        isDown: store.trouble() !== null,
        isFailing: sending.health.isFailing(),
        ...(modem !== null && { modem: modem.level(performance.now()) }),
      }
    },
    isPossible: isPossibleNumber,
  })
  const mayRun = () => lease?.isHousekeeper !== false
  const survey = surveyReadiness({ readiness: ofUsers, clock, log, mayRun })
  closers.add(() => survey.stop())
  return {
    readiness: readiness({
      phase,
      store,
      brokerAnswers: brokerAnswering(addresses.listeners, config.mqtt.proxyProtocol),
      overdueMs: () => sending.dispatcher.overdueMs(),
      leaseTrouble: () => lease?.trouble ?? null,
      canaryTrouble: () => canary?.trouble() ?? null,
      secretsTrouble: () => basis.secrets.otherKey() ?? site.trouble() ?? basis.keys?.trouble() ?? null,
    }),
    concerns: () => [
      ...[
        calendar.concern(),
        sharedClock?.concern() ?? null,
        modemState()?.trouble() ?? null,
        canary?.concern() ?? null,
        backups?.concern() ?? null,
        unnamedEnds.concern(),
        cards.concern(),
        sos.concern(),
        push.concern(),
        nodeLinkConcern(site.now) ?? publicUrlConcern(addresses.publicUrl()),
        mailOnlyConcern(site.now),
      ].filter((concern) => concern !== null),
      ...certificates.concerns(),
      ...site.concerns(),
      ...(store.server?.concerns() ?? []),
      ...lorawan.concerns(),
      ...onCall.concerns(),
    ],
    canary: () =>
      canary && {
        passedAt: canary.hasPassed() ? clock.now() - canary.ageMs() : null,
        failuresInARow: canary.failuresInARow(),
      },
    ofUsers,
    usersByStatus: survey.counts,
    onCallFindings: onCall.findings,
  }
}
