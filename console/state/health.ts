import { computed, signal } from '@preact/signals'
import { poll } from '../api/client.ts'
import type { Health } from '../api/types.ts'
import { healthKind } from '../logic/health-kind.ts'

const health = signal<Health | null>(null)
const said = computed(() => [...(health.value?.reasons ?? []), ...(health.value?.concerns ?? [])])

/** Whether messages only go to the outbox: nobody is alerted. */
export const outboxOnly = computed(() => health.value?.keepsMessages === true)
/** The names of those who can change that. */
export const ableAdministrators = computed(() => health.value?.administrators ?? [])
/** The canary of the node that answered. Undefined: not known; null: it is off. */
export const canary = computed(() => health.value?.canary)
export const clockDoubted = computed(() => said.value.some((sentence) => healthKind(sentence) === 'clock'))

const EVERY_MS = 60_000

/** A service without that route has nothing to say. */
export const lookAtHealth = (): void =>
  void poll<Health>('/health').then(
    (found) => (health.value = found),
    () => {},
  )

/** Looks at the service's health now and then. */
export function watchHealth(): () => void {
  lookAtHealth()
  const timer = setInterval(lookAtHealth, EVERY_MS)
  return () => clearInterval(timer)
}
