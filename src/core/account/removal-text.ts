/** A removal that somebody with an unlocked phone may have asked for. */
export type AskedRemoval = 'phoneLeaves' | 'phoneLeft' | 'erasure'

/** A text about it that has not left yet. `dueAt`: of the next try; epoch ms, like `until`. app.md#removing. */
export type RemovalText = {
  readonly id: string
  readonly userId: string
  readonly asked: AskedRemoval
  readonly until: number
  readonly dueAt: number
}

/** Of the whole site. Beyond them none is kept: the person's phones show each removal all the same. */
export const MAX_REMOVAL_TEXTS = 500
