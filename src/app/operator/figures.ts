import type { Figures, StoreFigures } from '../../ports/store.ts'

/** The figures of the operators' health page. */
export type HealthFigures = {
  readonly active: number
  readonly acknowledged: number
  readonly held: number
  readonly deadLetters: number
}

const shown = ({ openIncidents, heldIncidents: held, deadLetters }: Figures): HealthFigures => ({
  ...openIncidents,
  held,
  deadLetters,
})

/** `appIds`: the caller's applications, because figures of others are not theirs to see. Null: the whole site. */
export function healthFigures(figures: StoreFigures, appIds: readonly string[] | null): HealthFigures {
  if (appIds === null) return shown(figures)
  const sum = { active: 0, acknowledged: 0, held: 0, deadLetters: 0 }
  for (const appId of appIds) {
    const own = figures.ofApplications.get(appId)
    if (own === undefined) continue
    const { active, acknowledged, held, deadLetters } = shown(own)
    sum.active += active
    sum.acknowledged += acknowledged
    sum.held += held
    sum.deadLetters += deadLetters
  }
  return sum
}
