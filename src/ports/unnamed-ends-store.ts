/** `day`: its beginning in UTC, epoch ms. */
export type CountedEnds = { readonly appId: string; readonly day: number; readonly count: number }

/** Ends that named no alarm, by application and day. rules.md#ends. */
export type UnnamedEndsStore = {
  /** Adds these, each application and day at most once in a call. */
  addUnnamedEnds(counted: readonly CountedEnds[]): Promise<void>
  /**
   * The applications with such ends on `since` (epoch ms) or later: those with the most first, at most `max`. `appIds`:
   * only of these; null: of all.
   */
  unnamedEnds(since: number, max: number, appIds: readonly string[] | null): Promise<readonly UnnamedEnds[]>
}

export type UnnamedEnds = { readonly application: string; readonly count: number }
