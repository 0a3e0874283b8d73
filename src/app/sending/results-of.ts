export type ResultOf<T> = { readonly id: string; readonly value?: T; readonly err?: unknown }

/** Runs `work` for all `ids` concurrently. Each result has a value or an error; it never rejects. */
export const resultsOf = <T>(
  ids: readonly string[],
  work: (id: string) => Promise<T>,
): Promise<readonly ResultOf<T>[]> =>
  Promise.all(
    ids.map((id) =>
      work(id).then(
        (value) => ({ id, value }),
        (err: unknown) => ({ id, err: err ?? new Error('failed without a reason') }),
      ),
    ),
  )
