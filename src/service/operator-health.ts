import { healthFigures } from '../app/operator/figures.ts'
import { unnamedEndsConcern } from '../app/user/unnamed-ends.ts'
import { configWarnings } from '../config/warnings.ts'
import type { Config } from '../config.ts'
import { isSiteAdministrator } from '../core/operator/operator.ts'
import type { OperatorStore } from '../ports/operator-store.ts'
import type { Health } from './health.ts'
import type { Basis } from './storage.ts'

/** Names shown to those who cannot set up a provider themselves. */
const MAX_NAMES = 5

/** How the service is, as the console shows it to a caller. `applications`: of their grant; null: all. */
export const operatorHealth =
  ({ store, clock, site, unnamedEnds }: Basis, health: Health) =>
  async (applications: readonly string[] | null) => {
    const [reasons, figures, unnamed] = await Promise.all([
      health.readiness(),
      store.figures(),
      unnamedEndsConcern(store, clock.now(), applications),
    ])
    // In place of the one of `/readyz`, which counts the applications of others, too.
    const others = health.concerns().filter((concern) => concern !== unnamedEnds.concern())
    const concerns = [...others, ...(unnamed === null ? [] : [unnamed]), ...configWarnings(site.now)]
    return {
      reasons,
      concerns: [...new Set(concerns)],
      ...(await outboxOnly(site.now, store)),
      canary: health.canary(),
      figures: healthFigures(figures, applications),
    }
  }

/** Whether everything stays on this machine, and who can change that. */
async function outboxOnly({ notifications }: Config, store: Pick<OperatorStore, 'operators'>) {
  if (notifications.providers[0] !== 'outbox') return { keepsMessages: false }
  const able = (await store.operators()).filter((one) => isSiteAdministrator(one) && one.signedInAt !== null)
  return { keepsMessages: true, administrators: able.slice(0, MAX_NAMES).map(({ name }) => name) }
}
