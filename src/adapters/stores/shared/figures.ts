import type { Figures, StoreFigures } from '../../../ports/store.ts'

/** Counts of one application, which may have several rows. `appId` null: the user is erased. */
export type FigureRow = {
  readonly appId: string | null
  readonly deadLetters: number
  readonly active: number
  readonly acknowledged: number
  readonly held: number
}

const NONE: Figures = { deadLetters: 0, openIncidents: { active: 0, acknowledged: 0 }, heldIncidents: 0 }

const withRow = (sum: Figures, { deadLetters, active, acknowledged, held }: FigureRow): Figures => ({
  deadLetters: sum.deadLetters + deadLetters,
  openIncidents: {
    active: sum.openIncidents.active + active,
    acknowledged: sum.openIncidents.acknowledged + acknowledged,
  },
  heldIncidents: sum.heldIncidents + held,
})

export function figuresFrom(rows: readonly FigureRow[]): StoreFigures {
  const ofApplications = new Map<string, Figures>()
  for (const row of rows) {
    if (row.appId !== null) ofApplications.set(row.appId, withRow(ofApplications.get(row.appId) ?? NONE, row))
  }
  return { ...rows.reduce(withRow, NONE), ofApplications }
}
